"""robots.txt for Scrapy, read by @mannerly/robots.

    ROBOTSTXT_OBEY = True
    ROBOTSTXT_PARSER = "mannerly_robots.MannerlyRobotParser"

One Node process answers all questions, a line of JSON each. It must find @mannerly/robots: install it next to
`robots-bridge.mjs`, which lies next to this file.
"""

import json
import pathlib
import subprocess

BRIDGE = pathlib.Path(__file__).with_name("robots-bridge.mjs")
_process = None


def _ask(question):
    """Asks the bridge; starts it when it is asked first."""
    global _process
    if _process is None or _process.poll() is not None:
        _process = subprocess.Popen(
            ["node", str(BRIDGE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
    _process.stdin.write(json.dumps(question) + "\n")
    _process.stdin.flush()
    line = _process.stdout.readline()
    # A bridge that is gone must not read as "allowed".
    return json.loads(line)["allowed"] if line else False


class MannerlyRobotParser:
    """Has the methods of scrapy.robotstxt.RobotParser."""

    def __init__(self, body):
        self.body = body.decode("utf-8", "surrogateescape") if isinstance(body, bytes) else body

    @classmethod
    def from_crawler(cls, crawler, robotstxt_body):
        return cls(robotstxt_body)

    def allowed(self, url, user_agent):
        text = user_agent.decode() if isinstance(user_agent, bytes) else user_agent
        address = url.decode() if isinstance(url, bytes) else url
        return _ask({"body": self.body.encode("utf-8", "surrogateescape").hex(), "url": address, "userAgent": text})
