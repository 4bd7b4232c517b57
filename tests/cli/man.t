# The man page and --help name every command, option and key that the program has, and nothing else.
set -u
bad=0
page=$(mandoc -T ascii man/faultline.1 | col -b)
help=$("$FAULTLINE" --help)
for command in $(sed -n 's/^    {"\([a-z]*\)", "[^"]*", *"\?.*/\1/p' src/app/command.c | head -20); do
    grep -qw "$command" <<<"$page" || { echo "man page lacks command $command"; bad=1; }
    grep -qw "$command" <<<"$help" || { echo "--help lacks command $command"; bad=1; }
    "$FAULTLINE" "$command" --help >/dev/null || { echo "$command --help fails"; bad=1; }
done
options=$(for c in diagnose scan walk probe ask diff preflight watch explain kb timeline; do "$FAULTLINE" $c --help; done | grep -oE -- '--[a-z]+' | sort -u)
documented=$(grep -oE -- '^ +(-[a-zA-Z], )?--[a-z]+' <<<"$page" | grep -oE -- '--[a-z]+' | sort -u)
[ -n "$options" ] || { echo "no options found"; bad=1; }
diff <(echo "$options") <(echo "$documented") || { echo "options of the tables (<) and of the man page (>) differ"; bad=1; }
# the keys of the screen, as its table names them
keys=$(grep -oE '^ *\{\{[^}]*\}, *"[^"]+"|^ +"[^"]+", ACTION' ui/keys.c | grep -oE '"[^"]+"' | tr -d '"')
[ "$(wc -l <<<"$keys")" -gt 30 ] || { echo "no keys found"; bad=1; }
while read -r key; do
    sed -n '/^SCREEN/,/^ENVIRONMENT/p' <<<"$page" | expand | grep -qF -- " $key " || { echo "man page lacks key $key"; bad=1; }
done <<<"$keys"
[ -z "$(mandoc -T lint -W warning man/faultline.1)" ] || { mandoc -T lint -W warning man/faultline.1; bad=1; }
exit $bad
