#!/bin/sh
# Is there a browser for the tests of the report? On Debian and Ubuntu root gets one; elsewhere it is left to the user.
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null && exit 0
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing chromium for the tests of the report"
    export DEBIAN_FRONTEND=noninteractive
    apt-get -q update >/dev/null && apt-get -q -y install --no-install-recommends chromium fonts-dejavu-core >/dev/null &&
        command -v chromium >/dev/null && exit 0
fi
echo "No Chromium found: the tests of the report in a browser are skipped (on Debian: apt install chromium)" >&2
exit 1
