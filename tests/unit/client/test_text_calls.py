"""The parser of calls in text: every form that models write, and what is no call however it looks."""

import json
from time import process_time
from typing import Any

import pytest

from companyos.client.formats.text_calls import EXAMPLE, text_call
from companyos.client.model_output import action_of

CALL = {"tool_name": "desk_get", "arguments": {"id": "T1"}}
OTHER = {"tool_name": "refuse", "arguments": {"reason": "I may not."}}
SAID, DRAFT, ECHO = json.dumps(CALL), json.dumps(OTHER), json.dumps(EXAMPLE)
NAMED = json.dumps({"name": "desk_get", "arguments": {"id": "T1"}})
ARGUMENTS = '{"id": "T1"}'

FORMS = {
    "JSON": SAID,
    "JSON over lines": json.dumps(CALL, indent=2),
    "fence": f"```json\n{SAID}\n```",
    "fence without a language": f"```\n{SAID}\n```",
    "Hermes, Qwen": f"<tool_call>\n{NAMED}\n</tool_call>",
    "Hermes, cut at its stop string": f"<tool_call>\n{NAMED}\n",
    "LM Studio": f"[TOOL_REQUEST]{NAMED}[END_TOOL_REQUEST]",
    "Llama 3.1": '<|python_tag|>{"name": "desk_get", "parameters": {"id": "T1"}}<|eom_id|>',
    "Llama 3.1, custom": f"<function=desk_get>{ARGUMENTS}</function>",
    "Qwen-Coder": "<tool_call>\n<function=desk_get>\n<parameter=id>\nT1\n</parameter>\n</function>\n</tool_call>",
    "GLM": "<tool_call>desk_get\n<arg_key>id</arg_key>\n<arg_value>T1</arg_value>\n</tool_call>",
    "Claude": (
        '<function_calls>\n<invoke name="desk_get">\n<parameter name="id">T1</parameter>\n</invoke>\n</function_calls>'
    ),
    "MiniMax": (
        '<minimax:tool_call>\n<invoke name="desk_get">\n<parameter name="id">T1</parameter>\n</invoke>\n'
        "</minimax:tool_call>"
    ),
    "gpt-oss": f"<|channel|>commentary to=desk_get <|constrain|>json<|message|>{ARGUMENTS}<|call|>",
    "gpt-oss, recipient first": (
        f"<|start|>assistant to=desk_get<|channel|>commentary json<|message|>{ARGUMENTS}<|call|>"
    ),
    "gpt-oss, tokens lost": f"analysisWe look.assistantcommentary to=desk_get json{ARGUMENTS}",
    "Kimi": (
        "<|tool_calls_section_begin|><|tool_call_begin|>desk_get:0<|tool_call_argument_begin|>"
        f"{ARGUMENTS}<|tool_call_end|><|tool_calls_section_end|>"
    ),
    "DeepSeek R1": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>desk_get\n"
        f"```json\n{ARGUMENTS}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "DeepSeek V3.1": f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>desk_get<｜tool▁sep｜>{ARGUMENTS}<｜tool▁call▁end｜>",
    "Mistral": f"[TOOL_CALLS][{NAMED}]</s>",
    "Mistral, newer": f"[TOOL_CALLS]desk_get[ARGS]{ARGUMENTS}</s>",
    "DeepSeek V3.2": (
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="desk_get">\n<｜DSML｜parameter name="id" string="true">T1'
        "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"
    ),
    "Step-3": (
        '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="desk_get">'
        '<steptml:parameter name="id">T1</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>'
    ),
    "Granite": f"<|tool_call|>[{NAMED}]",
    "Jamba": f"<tool_calls>[\n  {NAMED}\n]</tool_calls>",
    "Cohere": (
        '<|START_ACTION|>[\n  {"tool_call_id": "0", "tool_name": "desk_get", "parameters": {"id": "T1"}}\n]'
        "<|END_ACTION|>"
    ),
    "LFM2": "<|tool_call_start|>[desk_get(id='T1')]<|tool_call_end|>",
    "OLMo 3": '<function_calls>desk_get(id="T1")</function_calls>',
    "Gemma": '```tool_code\ndesk_get(id="T1")\n```',
    "Llama 4": '<|python_start|>[desk_get(id="T1")]<|python_end|>',
    "ReAct": f"Thought: I look.\nAction: desk_get\nAction Input: {ARGUMENTS}",
    "ReAct, fence": f"Action: desk_get\nAction Input:\n```json\n{ARGUMENTS}\n```",
    "Gemma 4": '<|tool_call>call:desk_get{id:<|"|>T1<|"|>}<tool_call|>',
    "FunctionGemma": "<start_function_call>call:desk_get{id:<escape>T1<escape>}<end_function_call>",
    "Gemma 4, cut at its stop string": '<|tool_call>call:desk_get{id:<|"|>T1<|"|>}',
    "LongCat": (
        "<longcat_tool_call>desk_get\n<longcat_arg_key>id</longcat_arg_key>\n"
        "<longcat_arg_value>T1</longcat_arg_value>\n</longcat_tool_call>"
    ),
    "Hunyuan": (
        "<tool_calls>\n<tool_call>desk_get<tool_sep>\n<arg_key>id</arg_key>\n<arg_value>T1</arg_value>\n</tool_call>\n"
        "</tool_calls>"
    ),
    "Solar": (
        f"<|tool_calls|><|tool_call:begin|>a1<|tool_call:name|>desk_get<|tool_call:args|>{ARGUMENTS}<|tool_call:end|>"
    ),
    "MiniCPM": '<function name="desk_get"><param name="id">T1</param></function>',
    "Grok": '<xai:function_call name="desk_get">\n<parameter name="id">T1</parameter>\n</xai:function_call>',
    "Groq": f"<function=desk_get{ARGUMENTS}</function>",
    "Llama 3.1, a method": '<|python_tag|>desk_get.call(id="T1")',
    "Gemma, printed": '```tool_code\nprint(desk_get(id="T1"))\n```',
    "Qwen-Coder, a tag left open": (
        "<tool_call>\n<function=desk_get>\n<parameter=id>\nT1\n</function>\n</tool_call>"
    ),
    "commas at the end": '```json\n{\n  "tool_name": "desk_get",\n  "arguments": {\n    "id": "T1",\n  },\n}\n```',
    "single quotes": f"<tool_call>\n{json.loads(NAMED)!r}\n</tool_call>",
    "single quotes after a mark": "<function=desk_get>{'id': 'T1'}</function>",
    "JSON5": "{tool_name: 'desk_get', arguments: {id: 'T1'}}",
    "JSON5, comments": '{\n  // look\n  "tool_name": "desk_get", /* it */ "arguments": {"id": "T1"}, # now\n}',
    "typographic quotes": "{“tool_name”: “desk_get”, “arguments”: {“id”: “T1”}}",
    "typographic quotes after a mark": "<function=desk_get>{‘id’: ‘T1’}</function>",
    "Gemma's quotes without its mark": '{tool_name: <|"|>desk_get<|"|>, arguments: {id: <|"|>T1<|"|>}}',
    "Cline": "<desk_get>\n<id>T1</id>\n</desk_get>",
    "Cline, MCP": (
        "<use_mcp_tool>\n<server_name>companyos</server_name>\n<tool_name>desk_get</tool_name>\n"
        '<arguments>\n{\n  "id": "T1"\n}\n</arguments>\n</use_mcp_tool>'
    ),
    "an element of a tool, JSON": f"<desk_get>{ARGUMENTS}</desk_get>",
    "an element of a tool within another": f"<toolcall><desk_get>{ARGUMENTS}</desk_get></toolcall>",
    "elements of a name and arguments": (
        f"<tool_use>\n<name>desk_get</name>\n<arguments>{ARGUMENTS}</arguments>\n</tool_use>"
    ),
    "a message": json.dumps({"tool_calls": [{"function": {"name": "desk_get", "arguments": {"id": "T1"}}}]}),
    "a line break within a string": '{"tool_name": "desk_get", "arguments": {"id": "T1"}, "why": "one\ntwo"}',
}


def call(text: str) -> Any:
    action = action_of(text)
    return (
        {name: action.get(name) for name in ("tool_name", "arguments")} if "tool_name" in action else action
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("before", ["", "I look at the ticket first.\n\n"])
@pytest.mark.parametrize("after", ["", "<|im_end|>", "<|eot_id|>", "</s>", "\n"])
def test_a_call_is_read_in_every_form_with_text_before_it_and_stop_tokens_after_it(form, before, after):
    assert call(before + FORMS[form] + after) == CALL


def test_arguments_of_gemma_have_every_type_and_marks_only_outside_of_texts():
    said = (
        '<|tool_call>call:desk_put{title:<|"|>a: {b} "c"\nd<|"|>,count:3,share:-0.5,open:true,note:null,'
        'ids:[<|"|>T1<|"|>,<|"|>T2<|"|>],more:{deep:{x:[]}}}<tool_call|>'
    )

    arguments = call(said)["arguments"]

    assert arguments["title"] == 'a: {b} "c"\nd'
    assert [arguments[name] for name in ("count", "share", "open", "note")] == [3, -0.5, True, None]
    assert (arguments["ids"], arguments["more"]) == (["T1", "T2"], {"deep": {"x": []}})


@pytest.mark.parametrize("before", ["", '<think>[refuse(reason="x")]</think>\n'])
def test_a_list_of_a_call_in_code_needs_no_mark_where_it_is_the_whole_text(before):
    assert call(f'{before}[desk_get(id="T1")]<|eot|>') == CALL


@pytest.mark.parametrize(
    "code",
    [
        'desk_get(id="T1")',
        'I could call [desk_get(id="T1")].',
        '[desk_get(id="T1"), refuse(reason="x")]',
        '[desk_get("T1")]',
        "[desk_get(id=open('x'))]",
        "[desk_get(id=b'T1')]",
        "[(lambda: 1)(id='T1')]",
        "[desk_get(id=" + "(" * 5_000,
    ],
)
def test_code_that_is_not_one_call_with_plain_values_is_a_slip(code):
    assert action_of(code) == {"type": "invalid", "raw": code}


def test_a_text_that_only_says_it_tells_its_thoughts_holds_its_call():
    assert call(f"Here is my thought process: I look first. {SAID}") == CALL


REASONED = {
    "think": f"<think>Maybe {DRAFT}? No.</think>",
    "thinking": f"<thinking>{DRAFT}</thinking>",
    "reasoning": f"<reasoning>{DRAFT}</reasoning>",
    "thought": f"<thought>{DRAFT}</thought>",
    "thought in words": f"<thought process>{DRAFT}</thought process>",
    "capitals": f"<Think>{DRAFT}</THINK>",
    "Magistral": f"[THINK]{DRAFT}[/THINK]",
    "Seed": f"<seed:think>{DRAFT}</seed:think>",
    "Kimi-VL": f"◁think▷{DRAFT}◁/think▷",
    "Cohere": f"<|START_THINKING|>{DRAFT}<|END_THINKING|>",
    "OpenThinker": f"<|begin_of_thought|>{DRAFT}<|end_of_thought|>",
    "gpt-oss": f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>",
    "gpt-oss, a tool in the analysis": (
        '<|channel|>analysis to=refuse code<|message|>{"reason": ""}<|end|>'
        "<|start|>assistant<|channel|>final<|message|>"
    ),
    "gpt-oss, tokens lost": f"analysisMaybe {DRAFT}?assistantfinal",
    "Gemma": f"<|channel>thought\n{DRAFT}<channel|>",
    "LongCat": f"<longcat_think>{DRAFT}</longcat_think>",
    "Apertus": f"<|inner_prefix|>{DRAFT}<|inner_suffix|>",
    "MedGemma": f"<unused94>thought\n{DRAFT}<unused95>",
    "Kimi K3": f"<|open|>think<|sep|>{DRAFT}<|close|>think<|sep|>",
    "opened by the prompt": f"Maybe {DRAFT}? No.\n</think>",
    "closed by another mark": f"<think>{DRAFT}</thinking>",
    "nested": f"<think>One <reasoning>{DRAFT}</reasoning> or {DRAFT}</think>",
    "twice": f"<think>{DRAFT}</think>Hm.<think>{DRAFT}</think>",
    "a tagged draft": f"<think><tool_call>{DRAFT}</tool_call></think>",
}


@pytest.mark.parametrize("form", REASONED)
@pytest.mark.parametrize("said", [SAID, FORMS["Hermes, Qwen"], FORMS["Qwen-Coder"], FORMS["fence"]])
def test_a_draft_in_reasoning_is_no_call_and_the_call_after_it_counts(form, said):
    assert call(f"{REASONED[form]}\n{said}") == CALL


def test_a_draft_in_thoughts_that_granite_tells_in_words_is_no_call():
    assert call(f"Here is my thought process: maybe {DRAFT}? Here is my response: {SAID}") == CALL


@pytest.mark.parametrize("form", REASONED)
def test_reasoning_alone_is_an_invalid_action_that_holds_the_whole_text(form):
    assert action_of(REASONED[form]) == {"type": "invalid", "raw": REASONED[form]}


@pytest.mark.parametrize("opened", ["<think>", "<thinking>\n", "[THINK]", "<|channel|>analysis<|message|>"])
def test_reasoning_that_never_ends_holds_no_call(opened):
    assert action_of(f"{opened}I call {SAID}")["type"] == "invalid"


def test_marks_within_the_arguments_of_a_call_are_text():
    note = {"tool_name": "desk_note", "arguments": {"text": "write <think> and </think>, or </s>"}}

    assert action_of(f"I note: {json.dumps(note)}") == note


@pytest.mark.parametrize(
    "text",
    [
        f"{DRAFT}\n{SAID}",
        f"<tool_call>{DRAFT}</tool_call>\n<tool_call>{SAID}</tool_call>",
        f"{SAID}\nResult: priority high\n{DRAFT}",
        f"<function=refuse>{{}}</function> or {SAID}",
        json.dumps({"tool_calls": [{"function": {"name": "a"}}, {"function": {"name": "b"}}]}),
        '{"tool_name": "refuse", "arguments": {}, "tool_name": "desk_get"}',
        '{"tool_name": "desk_get", "arguments": {"id": "T1", "id": "T2"}}',
        '<function=desk_get>{"id": "T1", "id": "T2"}</function>',
    ],
)
def test_several_different_calls_are_a_slip(text):
    assert action_of(text) == {"type": "invalid", "raw": text}


@pytest.mark.parametrize(
    "text",
    [
        f"{SAID}\n{SAID}",
        f'Cut: {{"tool_name": "refuse", "arguments": {{"reason": "I\n{SAID}',
        f'{SAID}\n{{"tool_name": "refuse", "arguments": {{"reason": ',
        f"{SAID}<|im_end|>\n<|im_start|>user\nDone.\n{DRAFT}",
        f"{SAID}</s>{DRAFT}",
    ],
)
def test_a_repeated_or_an_incomplete_call_or_one_of_an_invented_turn_is_no_other_call(text):
    assert call(text) == CALL


def test_the_example_of_the_prompt_is_an_echo_beside_a_call_and_a_call_by_itself():
    assert call(f"As in the example {ECHO}, I write {SAID}") == CALL
    assert call(ECHO) == EXAMPLE


@pytest.mark.parametrize(
    "other",
    [
        '{"name": "Coral", "amount": 3}',
        '{"rows": [{"name": "a", "arguments": {}}]}',
        '{"name": "refuse", "description": "Ends.", "parameters": {"type": "object", "properties": {}}}',
        '{"type": "function", "function": {"name": "refuse", "parameters": {"type": "object"}}}',
        "{maybe}",
        "\\frac{1}{2} " * 300,
    ],
)
def test_data_and_definitions_of_tools_in_the_text_are_no_calls(other):
    assert call(f"Given {other}, so: {SAID}") == CALL


def test_the_text_of_a_call_is_told_apart_from_its_reasoning_and_its_end_is_known():
    text = f"<think>Hm. {DRAFT}</think>I look.\n```json\n{SAID}\n```\nDone."

    found = text_call(text)

    assert (found.text, found.reasoning) == ("I look.", f"Hm. {DRAFT}")
    assert text[: found.end].endswith("```")
    assert not found.is_bare
    assert text_call(f"<think>Hm.</think>\n<tool_call>{SAID}</tool_call><|im_end|>").is_bare


@pytest.mark.parametrize(
    "mark",
    [
        "{",
        '{"a',
        "{'a",
        "{'a': ",
        "<function=a>",
        "<|tool_call>call:a{",
        "{a: ",
        "{a:1,/*",
        "<a>",
        "</a>",
        "Action: a Action Input: {",
        "<think>",
        "</think>",
        "<",
    ],
)
def test_a_text_of_marks_is_read_in_no_time(mark):
    began = process_time()

    assert action_of(mark * 50_000)["type"] == "invalid"
    assert process_time() - began < 10
