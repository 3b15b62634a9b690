"""Wrong uses of the command line, each answered with what to do: a list to be reviewed as prose.

Every use is refused before anything starts. `2` is for what cannot be used as given, `1` for what failed.
"""

import inspect
import shlex
import sys
from pathlib import Path

import pytest

from companyos.cli import main
from companyos.embedded.home import Home
from companyos.sdk.scenario import load_scenarios

SCENARIOS = f"there are {', '.join(sorted(load_scenarios()))}"
PRESETS = "the presets are calm, papercuts, office, bad-day, incident, storm"

WRONG_USES = [
    # Commands and options that do not exist
    ("verfy trace.json", 2, "No such command 'verfy'. Did you mean 'verify', 'certify'?"),
    ("up --prot 8000", 2, "No such option: --prot (Possible options: --port)"),
    ("status --jsn", 2, "No such option: --jsn (Possible options: --json)"),
    # Missing arguments
    ("router", 2, "Missing argument 'NAME=URL…'."),
    ("capacity", 2, "Missing option '--rollouts'."),
    ("drain", 1, "No stack runs here. Start one with `companyos up`, or name another with --url."),
    ("browser", 1, "No stack runs here. Start one with `companyos up --detach`, or name another with --url."),
    ("serve", 2, "Missing argument 'name'."),
    ("verify", 2, "Missing argument 'file'."),
    ("replay", 2, "Missing argument 'file'."),
    ("chaos explain", 2, "Missing argument 'profile'."),
    ("scenario new", 2, "Missing argument 'name'."),
    ("run", 2, "Missing option '--agent'."),
    # Numbers out of range
    ("up --port -1", 2, "'--port' (env var: 'COMPANYOS_PORT'): -1 is below 0, the least."),
    ("logs --lines -3", 2, "'--lines' / '-n': -3 is below 0, the least."),
    ("play --seed first", 2, "'--seed': 'first' is no whole number, such as 7."),
    ("certify --seeds 1", 2, "--seeds: 1 is too few; at least 2 are needed"),
    ("certify --seeds 9-3", 2, "--seeds: 9-3 is empty; write the smaller number first, such as 0-5"),
    ("certify --levels 7", 2, "--levels: 7 is above 5"),
    ("run --agent oracle --seeds 0", 2, "--seeds: 0 seeds play nothing. Give a number such as 20"),
    # Names that nothing has
    ("certify nonsense", 2, f"There is no scenario 'nonsense'; {SCENARIOS}. For one of your own, set"),
    ("run nonsense --agent oracle", 2, f"There is no scenario 'nonsense'; {SCENARIOS}."),
    ("attack nonsense", 2, f"There is no scenario 'nonsense'; {SCENARIOS}."),
    ("scenario check nonsense", 1, "For one of your own, give its folder."),
    ("certify --agent gpt", 2, "there is no agent 'gpt'. Choose from: oracle, do_nothing, random_pool"),
    (
        "ladder vendor_onboarding --agent believes_claims",
        2,
        "believes_claims plays a script from the brief on",
    ),
    ("run --agent oracle --rewards gold", 2, "Choose from: seed, potential, progress, sparse"),
    ("run --agent oracle --split train offboarding", 2, "it is held out for test"),
    ("serve nobody", 2, "Choose one of: ticketdesk, datahub, approvalflow, orchestrator."),
    ("scenario new Invoice", 2, "'Invoice' is not a valid scenario name. Write it like `invoice_dispute`."),
    ("scenario new bug_escalation", 2, "bug_escalation already"),
    ("scenario new invoice_dispute --shape round", 2, "--shape: 'round' is none of plain, approval"),
    # Chaos that is none
    ("chaos explain worse", 2, f"there is no chaos preset 'worse'; {PRESETS}"),
    ("chaos explain 9", 2, "there is no chaos level 9; levels go from 0 to 5"),
    ("chaos explain @/nowhere/chaos.json", 2, "/nowhere/chaos.json cannot be read: No such file"),
    ("""chaos explain '{"faults": 1}'""", 2, "faults has to be a JSON object, not 1"),
    ("chaos explain '{oops}'", 2, "the profile is not JSON: Expecting property name"),
    ("play --chaos worse", 2, f"--chaos: there is no chaos preset 'worse'; {PRESETS}"),
    # Agents that lack something
    ("run --agent command", 2, 'a command agent needs a program, such as --program "python my_agent.py"'),
    ("run --agent command --program no-such-program", 2, "there is no program 'no-such-program'"),
    ("""run --agent command --program "'\"""", 2, "No closing quotation"),
    ("run --agent python", 2, "a python agent needs its code, such as --target my_agents:act"),
    ("run --agent python --target nowhere:act", 2, "nowhere cannot be imported: No module named 'nowhere'"),
    # Options that cannot go together
    ("run --agent oracle --tools finish", 2, "--tools: oracle plays a script, which needs all tools of its"),
    ("run --agent do_nothing --tools all --tools wait", 2, "--tools: 'all' is a whole set and stands alone"),
    ("run --agent oracle --model m", 2, "--model: 'oracle' does not take it; it is for --agent openai or"),
    ("run --agent oracle --cells auto", 2, "--cells: cells are started on the nodes of Ray: add --ray"),
    (
        "run --agent oracle --ray --cells 2 --url http://x",
        2,
        "--cells: the cells that it starts are played on",
    ),
    ("run --agent oracle --ray --cells few", 2, "--cells: 'few' is neither a number above 0 nor 'auto'"),
    # Files that are not there, or not what they should be
    ("verify /nowhere/trace.json", 2, "/nowhere/trace.json cannot be read: No such file or directory."),
    ("verify notes.txt", 2, "is neither JSON nor JSON lines: invalid literal"),
    ("verify notes.txt", 2, "Save a trace as GET /episodes/{id}/trace?format=jsonl answers it."),
    ("regrade other.json", 2, "A trace is a list of records, as GET /episodes/{id}/trace returns it."),
    ("replay old.json", 2, "has format 1, and this release reads format 2. Use the release that wrote it."),
    ("scenario check /nowhere", 1, "/nowhere: there is no such folder"),
    ("run --agent oracle --out notes.txt", 2, "notes.txt is no folder. Choose another --out"),
    # Runs that are not there
    ("report", 1, "There is no run below runs/. Name one, or write one with `companyos run`."),
    ("report /nowhere", 2, "/nowhere/run.json cannot be read: No such file or directory"),
    ("report --out", 2, "Option '--out' requires an argument."),
    ("export", 2, "Missing argument 'RUN...'."),
    ("export nowhere --format sft", 2, "nowhere/run.json cannot be read"),
    ("export /nowhere --format hf", 2, "--out: a data set is a folder. Name one with --out"),
    ("export . --format csv", 2, "there is no format 'csv'. Choose from: sft, preferences, openai, hf"),
    # Data sets that cannot be made
    ("down now", 2, "Got unexpected extra argument(s) (now)"),
    ("demo --episodes 0", 2, "'--episodes': 0 is below 1, the least."),
    ("dataset", 2, "Missing option '--out'."),
    ("dataset --out .", 2, "--out: . holds something else than a data set. Choose another --out"),
    (
        "dataset --out set --rows pairs",
        2,
        "--rows: there are no 'pairs'. Choose from: conversations, calls, pref",
    ),
    (
        "dataset --out set --last 3",
        2,
        "--last: conversations are whole; it is for --rows calls and preferences",
    ),
    ("dataset --out set --rows preferences --start calls=3", 2, "--start: preferences are of whole episodes"),
    ("dataset --out set --seeds 5", 2, "--seeds: seeds 2k and 2k+1 are a pair, and stay together. Give 0-5"),
    ("dataset --out set --seeds 100002", 2, "--seeds: the train split has 100000 seeds, counted from 0"),
    (
        "dataset --out set --seeds 4",
        2,
        "--validation: these are too few pairs for it. Give --seeds 0-19 or more",
    ),
    ("dataset --out set --seeds 18-19", 2, "--validation: it leaves no pair of these seeds to train on"),
    (
        "dataset --out set approver_desk",
        2,
        "it is held out for test",
    ),
    (
        "dataset --out set --hold-out nonsense",
        2,
        f"--hold-out: There is no scenario 'nonsense'; {SCENARIOS}.",
    ),
    (
        "dataset bug_escalation --out set --hold-out bug_escalation",
        2,
        "--hold-out: it leaves no scenario to train on",
    ),
    ("view /nowhere", 2, "/nowhere holds no run. Write one with `companyos run --out /nowhere`"),
    ("leaderboard verify .", 2, "holds no entry. Add one with `companyos leaderboard add"),
    ("leaderboard page .", 2, "holds no entry. Add one with `companyos leaderboard add"),
    # Stacks that are not there
    ("certify --url notaurl", 2, "--url: 'notaurl' is not an address like http://localhost:8000"),
    ("run --agent oracle --url localhost", 2, "'localhost' is not an address like http://localhost:8000"),
    ("drain --url http://127.0.0.1:99999", 2, "'http://127.0.0.1:99999' is not an address like http://local"),
    (
        "drain --url http://there?token=mine",
        2,
        "--url: 'http://there?token=mine' is not an address like http://l",
    ),
    ("scenario check expense_report --url http://host:port", 2, "'http://host:port' is not an address like"),
    (
        "run --agent openai --model m --base-url http://host:99999",
        2,
        "base_url: Value error, give a URL such as http://127.0.0.1:8000/v1",
    ),
    ("play --url http://127.0.0.1:1", 1, "Is a server running there? `companyos up` starts one"),
    ("logs ticketdesk", 1, "There are no logs in"),
    ("migrate", 2, "Set TICKETDESK_DATABASE_PASSWORD, or TICKETDESK_DATABASE_PASSWORD_FILE to the path of"),
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home in which nothing runs, and a folder with files that are no traces."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COMPANYOS_HOME", str(tmp_path / "home"))
    # Wide enough for the longest sentence, which would be wrapped otherwise.
    monkeypatch.setenv("COLUMNS", "400")
    # Set and not deleted: a command may set it for itself, and that ends with the test.
    monkeypatch.setenv("COMPANYOS_SCENARIOS", "")
    Path("notes.txt").write_text("not a trace\n", encoding="utf-8")
    Path("other.json").write_text('{"episodes": []}', encoding="utf-8")
    Path("old.json").write_text('[{"step": 0, "observation": {}, "format": 1}]', encoding="utf-8")
    return Home(tmp_path / "home")


@pytest.mark.parametrize(("command", "code", "sentence"), WRONG_USES)
def test_a_wrong_use_is_answered_with_what_to_do(
    home: Home,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    code: int,
    sentence: str,
) -> None:
    monkeypatch.setattr(sys, "argv", ["companyos", *shlex.split(command)])

    with pytest.raises(SystemExit) as left:
        main()

    said = capsys.readouterr()
    assert (left.value.code, said.out) == (code, "")
    assert sentence in said.err
    assert "Traceback" not in said.err
    assert home.recorded() is None


def test_without_ray_a_run_on_its_workers_is_refused_with_what_to_install(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setattr(sys, "argv", ["companyos", "run", "--agent", "oracle", "--ray"])

    with pytest.raises(SystemExit) as left:
        main()

    assert (left.value.code, home.recorded()) == (2, None)
    assert "Ray is not installed. Install it with: pip install" in capsys.readouterr().err


def test_without_the_library_a_tokenizer_is_refused_with_what_to_install(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    monkeypatch.setattr(
        sys, "argv", ["companyos", "dataset", "--out", "set", "--tokenizer", "tokenizer.json"]
    )

    with pytest.raises(SystemExit) as left:
        main()

    assert (left.value.code, home.recorded()) == (2, None)
    assert "--tokenizer: the library `tokenizers` is not installed. Install it" in capsys.readouterr().err


def test_every_option_about_an_agent_says_which_kinds_take_it() -> None:
    from companyos.cli.commands.playing import run
    from companyos.cli.run.contradictions import OWNERS

    options = list(inspect.signature(run).parameters)
    about_agents = options[options.index("kind") + 1 : options.index("scenarios")]

    assert list(OWNERS) == about_agents


def test_every_command_is_used_wrongly_somewhere() -> None:
    from companyos.cli.app import app, chaos_app, scenario_app

    groups = {"": app, "chaos ": chaos_app, "scenario ": scenario_app}
    commands = {
        prefix + (command.name or command.callback.__name__.removeprefix(prefix.strip() + "_"))
        for prefix, group in groups.items()
        for command in group.registered_commands
        if command.callback is not None
    }
    used = {use for command in commands for use, _, _ in WRONG_USES if f"{use} ".startswith(f"{command} ")}
    unused = {command for command in commands if not any(f"{use} ".startswith(f"{command} ") for use in used)}

    # These take nothing that could be wrong but what all commands share.
    assert unused <= {"doctor", "chaos list", "scenario list"}
