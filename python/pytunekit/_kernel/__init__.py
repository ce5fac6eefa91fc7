# SPDX-License-Identifier: MIT
"""What stands behind `tune_kernel` and `run_kernel`. Each module has one job; the door puts them together."""
