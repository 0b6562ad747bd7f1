"""An app's web process as its developers would write it: the official engine, and the app's own code, a file."""

from gevent import monkey

# A function that calls back waits; meanwhile the engine has to serve the hooks that it causes.
monkey.patch_all()

import os  # noqa: E402
import runpy  # noqa: E402
import sys  # noqa: E402

import leancloud  # noqa: E402

leancloud.init(
    os.environ["LEANCLOUD_APP_ID"],
    app_key=os.environ["LEANCLOUD_APP_KEY"],
    master_key=os.environ["LEANCLOUD_APP_MASTER_KEY"],
    hook_key=os.environ["LEANCLOUD_APP_HOOK_KEY"],
)
leancloud.use_master_key(False)
runpy.run_path(sys.argv[1])["engine"].start()
