#!/bin/sh
# Checks and tests a catalog in a git repository, and writes what changed since BASE into a comment. For any CI:
#   CATALOG=prompts BASE=origin/main COMMENT_FILE=comment.md sh run.sh
# Without BASE nothing is compared; PUBLISH=true then copies changed prompts to their next versions, with the commit as note.
# With SERVICE, and AI_PROMPT_SHELL_KEY for it, the comment says which documents that service has otherwise than BASE, or
# without BASE than the catalog: drift fails nothing.
# With PULL_REQUEST, GH_TOKEN and the program gh the comment is written to GitHub, and updated by the next run.
# Exits with 1 if check, tests or a render that worked before fail.
set -u

CATALOG=${CATALOG:-.}
COMMAND=${AI_PROMPT_SHELL:-npx --yes ai-prompt-shell}
COMMENT_FILE=${COMMENT_FILE:-ai-prompt-shell-comment.md}
MARK='<!-- ai-prompt-shell -->'
work=$(mktemp -d) || exit 1
top=$(git rev-parse --show-toplevel) || exit 1
prefix=$(cd "$CATALOG" && git rev-parse --show-prefix) || exit 1
failed=0

cleanup() {
  git -C "$top" worktree remove --force "$work/base" >/dev/null 2>&1
  rm -rf "$work"
}
trap cleanup EXIT

# part TITLE COMMAND...: runs a command, shows what it prints, and keeps it for the comment.
part() {
  title=$1
  shift
  "$@" >"$work/out" 2>&1
  code=$?
  cat "$work/out"
  if [ "$code" -eq 0 ]; then state=passed; else state=failed; failed=1; fi
  {
    printf '\n### %s: %s\n\n' "$title" "$state"
    # What prompts say cannot end the block: it is indented.
    if [ "$code" -ne 0 ]; then head -c 20000 "$work/out" | sed 's/^/    /'; printf '\n'; fi
  } >>"$work/comment"
}

printf '%s\n## Prompts\n' "$MARK" >"$work/comment"
part Check $COMMAND check "$CATALOG" --format "${CHECK_FORMAT:-text}"
if [ -d "$CATALOG/tests" ]; then part Tests $COMMAND test --catalog "$CATALOG"; fi

if [ -n "${BASE:-}" ]; then
  git -C "$top" worktree add --quiet --detach "$work/base" "$BASE" || exit 1
  if [ -d "$work/base/$prefix" ]; then
    $COMMAND impact --base "$work/base/$prefix" --catalog "$CATALOG" --format markdown >"$work/impact" 2>"$work/errors"
    code=$?
    cat "$work/impact" "$work/errors"
    if [ "$code" -ne 0 ]; then failed=1; fi
    { printf '\n### Renders\n\n'; head -c 40000 "$work/impact"; sed 's/^/    /' "$work/errors"; } >>"$work/comment"
  fi
elif [ "${PUBLISH:-false}" = true ] && [ "$failed" -eq 0 ]; then
  part Publish $COMMAND publish --changed --catalog "$CATALOG" --note "$(git log -1 --format='%h %s')"
fi

if [ -n "${SERVICE:-}" ]; then
  served=$CATALOG
  if [ -n "${BASE:-}" ] && [ -d "$work/base/$prefix" ]; then served="$work/base/$prefix"; fi
  $COMMAND drift --catalog "$served" --url "$SERVICE" >"$work/out" 2>&1
  if [ $? -eq 0 ]; then state=none; else state=found; fi
  cat "$work/out"
  {
    printf '\n### Drift of %s: %s\n\n' "$SERVICE" "$state"
    if [ "$state" = found ]; then head -c 10000 "$work/out" | sed 's/^/    /'; fi
  } >>"$work/comment"
fi

cp "$work/comment" "$COMMENT_FILE" || exit 1
if [ -n "${GITHUB_OUTPUT:-}" ]; then printf 'comment=%s\n' "$COMMENT_FILE" >>"$GITHUB_OUTPUT"; fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$COMMENT_FILE" >>"$GITHUB_STEP_SUMMARY"; fi

if [ -n "${PULL_REQUEST:-}" ] && [ -n "${GH_TOKEN:-}" ] && command -v gh >/dev/null; then
  known=$(gh api "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" --paginate \
    --jq ".[] | select(.body | startswith(\"$MARK\")) | .id" | head -n 1)
  if [ -n "$known" ]; then
    gh api "repos/$GITHUB_REPOSITORY/issues/comments/$known" --method PATCH --field "body=@$COMMENT_FILE" >/dev/null
  else
    gh api "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" --field "body=@$COMMENT_FILE" >/dev/null
  fi || echo 'the comment could not be written' >&2
fi
exit "$failed"
