#!/usr/bin/env bash
# First step of action.yml: builds authcli where the action was checked out, and sets the output "program".
# Takes VERSION; the runner gives GITHUB_ACTION_PATH and GITHUB_OUTPUT. Nothing is fetched by the name authcli.
set -euo pipefail

fail() {
  echo "::error title=authcli::$1"
  exit 2
}

command -v node >/dev/null || fail 'Node.js is missing; put actions/setup-node before this action.'
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
  fail "authcli needs Node.js 20.19 or later, this is $(node --version); put actions/setup-node before this action."

case $VERSION in
  action)
    program=$GITHUB_ACTION_PATH/bin/authcli.js
    (cd -- "$GITHUB_ACTION_PATH" && npm ci --include=dev --ignore-scripts --no-audit --no-fund && npm run build)
    ;;
  installed)
    program=$PWD/node_modules/.bin/authcli
    [ -x "$program" ] || fail 'node_modules/.bin/authcli is not in the working directory; run npm ci first.'
    ;;
  *) fail 'The input "version" takes "action" or "installed". To select a version of the action, write it in uses: OWNER/authcli@VERSION.' ;;
esac
"$program" --version
echo "program=$program" >>"$GITHUB_OUTPUT"
