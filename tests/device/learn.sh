#!/usr/bin/env bash
# Lets a language model learn whole workflows on a GPU: it imitates 300 episodes of the oracles, and goes on by
# reinforcement. Run it again after an interruption, and it goes on; what is finished is kept.
#
#   tests/device/learn.sh [FOLDER]
#
# PYTHON names an interpreter with `.[language]`, MODEL a model of Hugging Face or its folder (by default SmolLM2 from its
# Python package), and URL a stack that runs (by default one is started).
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-runs/device}
python=${PYTHON:-.venv/bin/python}
model=${MODEL:-$folder/model}
mkdir -p "$folder"

once() { # once NAME COMMAND...: does what has not been done
  local name=$1; shift
  [[ -e $folder/$name.done ]] && { echo "$name: done before"; return; }
  echo "$name: ${*}"
  "$@"
  touch "$folder/$name.done"
}

train() { # train METHOD, with the settings from standard input
  cat > "$folder/$1.toml"
  once "$1" "$python" -m companyos train "$1" --config "$folder/$1.toml" ${URL:+--url "$URL"}
}

[[ -n ${MODEL:-} ]] || once model "$python" -m examples.smollm2 "$model"
families=${FAMILIES:-'["vendor_onboarding", "bug_escalation", "handbook_update"]'}
train sft <<END
out = "$folder/sft"
model = "$model"
scenarios = $families
demonstrations = ${DEMONSTRATIONS:-100}
held_out = ${HELD_OUT:-20}
shows_tools = false
call_tokens = ${CALL_TOKENS:-200}
at_once = 16
batch = 16
learning_rate = 1e-4
updates = ${SFT_UPDATES:-400}
evaluate_every = ${EVERY:-100}
play_every = ${SFT_UPDATES:-400}
END
train rl <<END
out = "$folder/rl"
start = "$folder/sft"
scenarios = $families
first_seed = ${DEMONSTRATIONS:-100}
held_out = ${HELD_OUT:-20}
credit = "fork"
groups = ${GROUPS_OF_ONE:-16}
group = 1
epochs = 2
learning_rate = 1e-5
updates = ${RL_UPDATES:-20}
evaluate_every = ${EVERY:-5}
END
tail -n 1 "$folder/sft/metrics.jsonl" "$folder/rl/metrics.jsonl"
