"""Runs the official Python client, unmodified. Where the server is it reads from LEANCLOUD_API_SERVER."""

import os

import leancloud

import cases
import case_accounts  # noqa: F401
import case_files  # noqa: F401
import case_messaging  # noqa: F401
import case_objects  # noqa: F401
import case_queries  # noqa: F401
import case_rights  # noqa: F401
import case_statuses  # noqa: F401

leancloud.init(os.environ["APP_ID"], app_key=os.environ["APP_KEY"], master_key=os.environ["MASTER_KEY"])
cases.run()
