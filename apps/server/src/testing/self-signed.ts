/** A certificate that signs itself, for one name or IPv4 address and one day. */
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { isIP } from 'node:net';

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_ID = 0x06;
const UTF8 = 0x0c;
const UTC_TIME = 0x17;
const EXTENSIONS = 0xa3;
const VERSION = 0xa0;

const ECDSA_SHA256 = '2a8648ce3d040302';
const COMMON_NAME = '550403';
const SUBJECT_ALT_NAME = '551d11';

export function selfSigned(host: string): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const algorithm = der(SEQUENCE, objectId(ECDSA_SHA256));
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, objectId(COMMON_NAME), der(UTF8, Buffer.from(host)))));
  const now = Date.now();
  const facts = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    algorithm,
    name,
    der(SEQUENCE, utcTime(now - 3_600_000), utcTime(now + 86_400_000)),
    name,
    publicKey,
    der(
      EXTENSIONS,
      der(SEQUENCE, der(SEQUENCE, objectId(SUBJECT_ALT_NAME), der(OCTET_STRING, altNames(host)))),
    ),
  );
  const signature = sign('sha256', facts, createPrivateKey(privateKey));
  const certificate = der(SEQUENCE, facts, algorithm, der(BIT_STRING, Buffer.from([0]), signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey,
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

function altNames(host: string): Buffer {
  return isIP(host) === 4
    ? der(SEQUENCE, der(0x87, Buffer.from(host.split('.').map(Number))))
    : der(SEQUENCE, der(0x82, Buffer.from(host)));
}

function objectId(hex: string): Buffer {
  return der(OBJECT_ID, Buffer.from(hex, 'hex'));
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(UTC_TIME, Buffer.from(`${digits}Z`));
}

/** One value: its tag, the length of what it holds, and that. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
