"""What a model gets of the pictures that its agent sees."""

from companyos.evaluation.models.chat_history import ChatHistory
from companyos.evaluation.models.endpoint import Exchange, ModelReply, Prompt
from companyos.evaluation.models.formats import anthropic_format, openai_format
from companyos.evaluation.models.token_estimate import TokenEstimate


def test_pictures_follow_the_texts_of_their_messages_in_either_format() -> None:
    picture = {"media_type": "image/png", "data": "UE5H"}
    called = ModelReply({"role": "assistant"}, calls=[{"id": "a", "function": {"name": "x"}}])
    said = ModelReply({"role": "assistant", "content": "hm"})
    exchanges = [Exchange(called, ["one"], picture), Exchange(said, ["two"], picture)]
    prompt = Prompt("", (), "the task", exchanges, picture)

    chat, messages = openai_format.messages_of(prompt), anthropic_format.messages_of(prompt)

    url = {"type": "image_url", "image_url": {"url": "data:image/png;base64,UE5H"}}
    assert [one["role"] for one in chat] == ["user", "assistant", "tool", "user", "assistant", "user"]
    assert [chat[at]["content"][1] for at in (0, 3, 5)] == [url] * 3
    assert [chat[at]["content"][0]["text"] for at in (0, 5)] == ["the task", "two"]
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "UE5H"}}
    assert [messages[at]["content"][-1] for at in (0, 2, 4)] == [image] * 3
    assert [messages[at]["content"][0]["type"] for at in (0, 2, 4)] == ["text", "tool_result", "text"]


def test_an_estimate_counts_a_picture_whatever_its_size() -> None:
    sizes = {
        TokenEstimate().tokens_of({"url": f"data:image/png;base64,{'A' * size}"}) for size in (5_000, 500_000)
    }

    assert len(sizes) == 1


def test_the_latest_pictures_stay_in_view() -> None:
    made = ChatHistory("the task", {"data": "task"})
    views = []
    for number in range(5):
        views.append([made.task_picture, *(one.picture for one in made.exchanges())])
        made.add_reply(ModelReply({}), [{"n": number}])
        made.next_action()
        made.add_result("seen", {"data": number})

    shown = [[picture["data"] for picture in view if picture] for view in views]
    assert shown == [["task"], ["task", 0], ["task", 0, 1], [0, 1, 2], [1, 2, 3]]
