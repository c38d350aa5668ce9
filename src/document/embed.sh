#!/bin/sh
# embed.sh NAME=FILE...: C source in which each NAME is the text of FILE, for free use by whoever includes
# document/page.h. A FILE that is missing is an empty text.
echo '#include "document/page.h"'
for pair; do
    echo "const char ${pair%%=*}[] = {"
    [ ! -r "${pair#*=}" ] || od -An -v -tu1 "${pair#*=}" | sed 's/  *\([0-9][0-9]*\)/(char)\1,/g'
    echo '0};'
done
