"""sigv4_requests.py SIGNER: a thousand random requests, signed by botocore and by us, must carry the same bytes."""
# SPDX-License-Identifier: Apache-2.0
import datetime
import json
import random
import subprocess
import sys
import urllib.parse
from unittest import mock

import botocore.auth
import botocore.awsrequest
import botocore.credentials

REQUESTS = 1000
ODD = "aZ09-_.~ /+=&%$!*'(),;:@?#[]\"<>|\\^`{}äß€日本\U0001f600"
SERVICES = [("ec2", "us-east-1"), ("iam", "us-east-1"), ("sqs", "eu-central-1"), ("ssm", "ap-south-1"),
            ("eks", "us-gov-west-1"), ("sts", "cn-north-1"), ("arc-zonal-shift", "us-west-2")]


def words(rng, least, most):
    return "".join(rng.choice(ODD) for _ in range(rng.randint(least, most)))


def request(rng):
    service, region = rng.choice(SERVICES)
    path = "/" + "/".join(urllib.parse.quote(words(rng, 1, 8), safe="-_.~") for _ in range(rng.randint(0, 4)))
    names = {"k" + words(rng, 0, 5) for _ in range(rng.randint(0, 5))}
    query = "&".join(urllib.parse.quote(name, safe="-_.~") + "=" + urllib.parse.quote(words(rng, 0, 9), safe="-_.~")
                     for name in names)
    host = f"{service}.{region}.amazonaws.com" + rng.choice(["", ":8443"])
    line = {"method": rng.choice(["GET", "POST", "PUT", "DELETE"]), "service": service, "region": region,
            "url": f"https://{host}{path}" + ("?" + query if query else ""),
            "headers": [["X-Extra-" + str(i), " ".join(words(rng, 1, 5).encode("ascii", "ignore").decode().split()) or "x"]
                        for i in range(rng.randint(0, 3))],
            "access": "AKID" + str(rng.randint(0, 9999)), "secret": words(rng, 20, 40), "body": words(rng, 0, 60),
            "token": rng.choice(["", "token/" + str(rng.random()) + "+=="]),
            "time": f"20{rng.randint(20, 39)}-0{rng.randint(1, 9)}-{rng.randint(10, 28)}T0{rng.randint(0, 9)}:12:{rng.randint(10, 59)}Z"}
    if rng.random() < 0.3:
        line.update(expires=rng.randint(1, 604800), body="", method="GET")
    return line


def by_botocore(line):
    credentials = botocore.credentials.Credentials(line["access"], line["secret"], line["token"] or None)
    made = botocore.awsrequest.AWSRequest(method=line["method"], url=line["url"], data=line["body"].encode(),
                                          headers=dict(line["headers"]))
    when = datetime.datetime.strptime(line["time"], "%Y-%m-%dT%H:%M:%SZ")
    # The other services expect the path as it is sent, encoded once more: botocore's SigV4Auth does so for all but S3.
    with mock.patch.object(botocore.auth, "get_current_datetime", mock.Mock(return_value=when)):
        if "expires" in line:
            botocore.auth.SigV4QueryAuth(credentials, line["service"], line["region"], line["expires"]).add_auth(made)
            return urllib.parse.parse_qs(urllib.parse.urlsplit(made.url).query)["X-Amz-Signature"][0]
        botocore.auth.SigV4Auth(credentials, line["service"], line["region"]).add_auth(made)
    return made.headers["Authorization"]


def ours(answer):
    if "url" in answer:
        return urllib.parse.parse_qs(urllib.parse.urlsplit(answer["url"]).query)["X-Amz-Signature"][0]
    return {name.lower(): value for name, value in answer["headers"].items()}["authorization"]


def main(signer):
    rng = random.Random(1)
    lines = [request(rng) for _ in range(REQUESTS)]
    told = subprocess.run([signer], input="\n".join(map(json.dumps, lines)) + "\n", capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in told.stdout.splitlines()]
    wrong = [(line, by_botocore(line), ours(answer)) for line, answer in zip(lines, answers, strict=True)
             if by_botocore(line) != ours(answer)]
    for line, theirs, mine in wrong[:3]:
        print(json.dumps(line), theirs, mine, sep="\n", file=sys.stderr)
    presigned = sum("expires" in line for line in lines)
    print(f"{len(lines) - len(wrong)} of {len(lines)} requests signed alike, {presigned} of them presigned")
    return 1 if wrong else 0


sys.exit(main(sys.argv[1]))
