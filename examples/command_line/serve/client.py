#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""client.py TRIALS TUNE_COMMAND: measures what tune_command --serve asks for, and prints the best."""
import json
import pathlib
import subprocess
import sys

trials, program = sys.argv[1:]
space = pathlib.Path(__file__).parent / 'space.json'
server = subprocess.Popen([program, '--serve', '--space', space, '--trials', trials, '--seed', '1'],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def say(**request):
    """The answer to a request: both are one line of JSON."""
    print(json.dumps(request), file=server.stdin, flush=True)
    answer = json.loads(server.stdout.readline())
    if 'error' in answer:
        sys.exit(answer['error'])
    return answer


say(hello=1)
while not (asked := say(ask=1))['over']:
    for job in asked['jobs']:
        tile, mode = job['config']['tile'], job['config']['mode']
        if tile == 16:
            say(tell=job['job'], failed='no such tile', kind='invalid')
        else:
            say(tell=job['job'], cost=(1 + abs(tile - 4)) * (3 if mode == 'slow' else 1))
best = say(best=True)['best']
print(best['config']['tile'], best['config']['mode'], best['cost'])
server.stdin.close()
sys.exit(server.wait())
