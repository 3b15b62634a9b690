"""What the words of a refusal say: that the prompt is too long, or that there are no tools."""

import pytest

from companyos.evaluation.models.error_words import is_prompt_too_long, lacks_tools


@pytest.mark.parametrize(
    "told",
    [
        "Input length (5000) exceeds max_seq_len (4096)",
        "prompt length (5000) plus max_tokens (100) should not exceed max_seq_len (4096)",
        "Total tokens of image and text exceed max message tokens",
        "Messages token length must be in (0,131072]",
        "Token limit exceeded: 9000 > 8192",
        "Too long prompt: 9000 tokens",
        "input tokens (9000) too long",
        "Your input exceeds the 32000 token limit",
        "Unable to submit request because the input token count is 40000 but model only supports up to 32768.",
        "The sum of prompt length (5000.0), query length (0) should not exceed max_num_tokens (4096)",
        "Prompt tokens limit exceeded: 9000 > 8192",
    ],
)
def test_a_prompt_is_too_long_however_shortly_an_endpoint_says_so(told: str) -> None:
    assert is_prompt_too_long(told)


@pytest.mark.parametrize(
    "told",
    [
        "Output token limit exceeded: 9000 > 8192",
        "max_completion_tokens exceeds the maximum of 8192 output tokens",
        "Invalid 'tools': array too long. Expected an array with maximum length 128, but got 140 instead.",
        "thinking.budget_tokens must be less than max_tokens",
        "Request took too long",
        "The image exceeds the maximum size of 5 MB",
        "max tokens must be less than 4096",
        "max tokens must be less than or equal to 8192 for this model",
        "The maximum number of tokens must be at most 4096",
        "completion tokens limit exceeded: 9000 > 8192",
        "The model only supports up to 128 tools",
    ],
)
def test_a_refusal_of_something_else_is_not_taken_for_a_long_prompt(told: str) -> None:
    assert not is_prompt_too_long(told)


@pytest.mark.parametrize(
    ("told", "without"),
    [
        ("`tools` is not supported with this model", True),
        ("tools are unsupported", True),
        ("Function calling is not enabled for models/gemma", True),
        ("Tool messages are not supported after a system message", False),
        ("the tool desk_look is not enabled", False),
    ],
)
def test_an_endpoint_without_tools_is_known_by_its_words(told: str, *, without: bool) -> None:
    assert lacks_tools(told) is without
