"""Runs every test beside this file: python botocore_tests. Finding no test is a failure, too."""
# SPDX-License-Identifier: Apache-2.0
import os
import sys
import unittest

suite = unittest.defaultTestLoader.discover(os.path.dirname(os.path.abspath(__file__)), pattern="*_test.py")
count = suite.countTestCases()
result = unittest.TextTestRunner(verbosity=2).run(suite)
sys.exit(0 if count > 0 and result.wasSuccessful() else 1)
