# SPDX-License-Identifier: MIT
"""Chromium without a window, driven by its own protocol over a pipe: pages, keys, and what a screen reader is told."""
import json
import os
import select
import subprocess
import tempfile
import time


class Page:
    """A page of `program` at so many pixels. What it asks the network for and what its scripts throw is kept."""

    def __init__(self, program, width=1280, height=900):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        ours, self.to = os.pipe()
        self.of, theirs = os.pipe()

        def wire():  # the browser reads 3 and writes 4
            os.dup2(os.dup(ours), 10), os.dup2(os.dup(theirs), 11)
            os.dup2(10, 3), os.dup2(11, 4)

        self.browser = subprocess.Popen([program, '--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe', '--no-first-run',
                                         f'--user-data-dir={self.profile.name}', 'about:blank'],
                                        preexec_fn=wire, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(ours), os.close(theirs)
        self.last, self.rest, self.events, self.session = 0, b'', [], None
        target = self.ask('Target.createTarget', url='about:blank')['targetId']
        self.session = self.ask('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Network', 'Accessibility'):
            self.ask(f'{domain}.enable')
        self.ask('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.browser.kill()
        self.browser.wait()
        os.close(self.to), os.close(self.of)
        self.profile.cleanup()

    def hear(self, seconds=60):
        """The next message."""
        until = time.monotonic() + seconds
        while b'\0' not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.of], [], [], left)[0]:
                raise TimeoutError('the browser says nothing')
            some = os.read(self.of, 1 << 16)
            if not some:
                raise EOFError('the browser ended')
            self.rest += some
        message, self.rest = self.rest.split(b'\0', 1)
        return json.loads(message)

    def ask(self, method, **parameters):
        """The answer to a request; what happens before it is kept in `events`."""
        self.last += 1
        request = {'id': self.last, 'method': method, 'params': parameters}
        if self.session:
            request['sessionId'] = self.session
        os.write(self.to, json.dumps(request).encode() + b'\0')
        while True:
            message = self.hear()
            if message.get('id') != self.last:
                self.events.append(message)
            elif 'error' in message:
                raise RuntimeError(f'{method}: {message["error"]}')
            else:
                return message['result']

    def open(self, path):
        self.events.clear()
        self.ask('Page.navigate', url='file://' + os.path.abspath(path))
        while not any(e.get('method') == 'Page.loadEventFired' for e in self.events):
            self.events.append(self.hear())
        self.of_page('1')  # its scripts have run

    def of_page(self, expression):
        """The value of an expression of the page's script."""
        said = self.ask('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in said:
            raise RuntimeError(f'{expression}: {said["exceptionDetails"]}')
        return said['result'].get('value')

    def press(self, key, code=None, number=0, text=None, shift=False):
        """A key of the keyboard, down and up."""
        how = {'key': key, 'code': code or key, 'windowsVirtualKeyCode': number, 'modifiers': 8 if shift else 0}
        self.ask('Input.dispatchKeyEvent', type='keyDown', **how, **({'text': text} if text else {}))
        self.ask('Input.dispatchKeyEvent', type='keyUp', **how)

    def tab(self, shift=False):
        self.press('Tab', number=9, shift=shift)

    def enter(self):
        self.press('Enter', number=13, text='\r')

    def asked_for(self):
        """The addresses of which nothing is in the file itself."""
        urls = [e['params']['request']['url'] for e in self.events if e.get('method') == 'Network.requestWillBeSent']
        return [u for u in urls if not u.startswith(('file:', 'data:', 'about:', 'blob:'))]

    def thrown(self):
        return [e['params'] for e in self.events if e.get('method') == 'Runtime.exceptionThrown']

    def told(self):
        """What a screen reader is told, in its order: (role, name, properties) of each node that it does not skip."""
        out = []
        nodes = {n['nodeId']: n for n in self.ask('Accessibility.getFullAXTree')['nodes']}

        def visit(node):
            if not node.get('ignored'):
                of = {p['name']: p['value'].get('value') for p in node.get('properties', [])}
                out.append((node['role']['value'], node.get('name', {}).get('value', ''), of))
            for child in node.get('childIds', []):
                if child in nodes:
                    visit(nodes[child])

        for node in nodes.values():
            if 'parentId' not in node:
                visit(node)
        return out
