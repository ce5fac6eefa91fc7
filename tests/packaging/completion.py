# SPDX-License-Identifier: MIT
# completion.py SHELL PREFIX TOOL TYPED WANT: types TYPED and a tab behind TOOL at a terminal of SHELL (bash, zsh or fish), with what is
# installed below PREFIX, and ends with status 1 unless the shell makes WANT of it.
import os, pty, select, sys, time

shell, prefix, tool, typed, want = sys.argv[1:]
zsh = [f'{prefix}/share/zsh/{folder}' for folder in ('vendor-completions', 'site-functions')]
start = {'bash': ['bash', '--norc', '-i'], 'zsh': ['zsh', '-f', '-i'], 'fish': ['fish', '--no-config', '-i']}[shell]
begin = {'bash': '. /usr/share/bash-completion/bash_completion', 'zsh': f'fpath=({" ".join(zsh)} $fpath); autoload -Uz compinit; compinit -D -u',
         'fish': f'set -p fish_complete_path {prefix}/share/fish/vendor_completions.d'}[shell]

child, terminal = pty.fork()
if child == 0:
    os.environ.update(PATH=f'{prefix}/bin:' + os.environ['PATH'], XDG_DATA_DIRS=f'{prefix}/share:/usr/local/share:/usr/share', TERM='dumb')
    os.execvp(start[0], start)

def shown(until, seconds):
    """What the terminal shows, up to `until`; what there is where that does not come."""
    text, end = '', time.monotonic() + seconds
    while until not in text and time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            text += os.read(terminal, 4096).decode(errors='replace')
    return text

os.write(terminal, f'{begin}; echo re""ady\n'.encode())
before = shown('ready', 60)
os.write(terminal, f'{tool} {typed}\t'.encode())
after = shown(want, 60)
os.kill(child, 9)
os.waitpid(child, 0)
if want not in after:
    sys.exit(f'{shell} makes no {want} of {tool} {typed}: {before[-200:]!r} {after!r}')
