/** Creates self-signed certificates for one name or IPv4 address, valid for one day. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIP } from 'node:net';

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const NULL = 0x05;
const OBJECT_ID = 0x06;
const UTF8 = 0x0c;
const UTC_TIME = 0x17;
const EXTENSIONS = 0xa3;
const VERSION = 0xa0;

const ECDSA_SHA256 = '2a8648ce3d040302';
const RSA_SHA256 = '2a864886f70d01010b';
const COMMON_NAME = '550403';
const SUBJECT_ALT_NAME = '551d11';

interface Keys {
  privateKey: KeyObject;
  publicKey: KeyObject;
}

export function createSelfSignedCertificate(host: string): { key: string; cert: string } {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: buildCertificate(keys, host, '01', encodeDer(SEQUENCE, encodeObjectId(ECDSA_SHA256))),
  };
}

/** @param serial hexadecimal digits, of which the first is below 8 */
export function createRsaCertificate(keys: Keys, host: string, serial: string): string {
  return buildCertificate(keys, host, serial, encodeDer(SEQUENCE, encodeObjectId(RSA_SHA256), encodeDer(NULL)));
}

function buildCertificate({ privateKey, publicKey }: Keys, host: string, serial: string, algorithm: Buffer): string {
  const name = encodeDer(
    SEQUENCE,
    encodeDer(SET, encodeDer(SEQUENCE, encodeObjectId(COMMON_NAME), encodeDer(UTF8, Buffer.from(host)))),
  );
  const now = Date.now();
  const facts = encodeDer(
    SEQUENCE,
    encodeDer(VERSION, encodeDer(INTEGER, Buffer.from([2]))),
    encodeDer(INTEGER, Buffer.from(serial, 'hex')),
    algorithm,
    name,
    encodeDer(SEQUENCE, encodeUtcTime(now - 3_600_000), encodeUtcTime(now + 86_400_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    encodeDer(
      EXTENSIONS,
      encodeDer(
        SEQUENCE,
        encodeDer(SEQUENCE, encodeObjectId(SUBJECT_ALT_NAME), encodeDer(OCTET_STRING, buildAltNames(host))),
      ),
    ),
  );
  const signature = sign('sha256', facts, privateKey);
  const whole = encodeDer(SEQUENCE, facts, algorithm, encodeDer(BIT_STRING, Buffer.from([0]), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function buildAltNames(host: string): Buffer {
  return isIP(host) === 4
    ? encodeDer(SEQUENCE, encodeDer(0x87, Buffer.from(host.split('.').map(Number))))
    : encodeDer(SEQUENCE, encodeDer(0x82, Buffer.from(host)));
}

function encodeObjectId(hex: string): Buffer {
  return encodeDer(OBJECT_ID, Buffer.from(hex, 'hex'));
}

function encodeUtcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14);
  return encodeDer(UTC_TIME, Buffer.from(`${digits}Z`));
}

/** Encodes one value: its tag, its length and its content. */
function encodeDer(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
