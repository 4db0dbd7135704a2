#!/usr/bin/env bash
# Second step of action.yml: verifies, tells the counts as outputs, and ends as authcli ended.
# Takes PROGRAM, AUTHCLI_URL, MORE_ARGS, REQUIREMENTS and REPORT_*; the runner gives RUNNER_TEMP and GITHUB_OUTPUT.
# Inputs come through the environment, so that no text of theirs is ever read as shell code.
set -euo pipefail

work=$(mktemp -d -- "$RUNNER_TEMP/authcli-verify.XXXXXX")
# In a file of its own: what another run left in REPORT_JSON must not be taken for the result of this one.
json=$work/verify.json
args=(--format github --report "json=$json")
[ -z "$REQUIREMENTS" ] || args+=("--requirements=$REQUIREMENTS")
for kind in json junit html markdown; do
  variable=REPORT_$(tr '[:lower:]' '[:upper:]' <<<"$kind")
  [ -z "${!variable}" ] || args+=(--report "$kind=${!variable}")
done

# xargs parts words and minds quotes, and expands nothing.
if ! printf '%s' "$MORE_ARGS" | xargs printf '%s\0' >"$work/args"; then
  echo '::error title=authcli::The input "args" has a quote that is not closed.'
  exit 2
fi
while IFS= read -r -d '' word; do
  [ -z "$word" ] || args+=("$word")
done <"$work/args"

status=0
"$PROGRAM" verify "${args[@]}" || status=$?

{
  echo "status=$status"
  if [ -s "$json" ]; then
    node -e '
      const { summary } = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
      for (const name of ["passed", "failed", "warned", "incomplete", "skipped"]) console.log(`${name}=${Number(summary[name])}`);
    ' -- "$json"
  fi
} >>"$GITHUB_OUTPUT"
exit "$status"
