/** Software authenticator for tests, with the results of a browser. ES256, by default without an attestation. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface CreationOptions {
  challenge: string;
  rp: { id: string };
  user: { id: string };
}

export interface RequestOptions {
  challenge: string;
  rpId: string;
}

/** Changes by a hostile browser. */
export interface Tampering {
  origin?: string;
  challenge?: string;
  rpId?: string;
  /** Flags of user presence and verification. */
  flags?: number;
  counter?: number;
  userHandle?: string;
  breakSignature?: boolean;
  /** Certificates of the authenticator's vendor, in DER. */
  attestedBy?: readonly Buffer[];
}

const PRESENT_AND_VERIFIED = 0x05;
const HAS_CREDENTIAL = 0x40;
/** Number of the algorithm (RFC 9053). */
const ES256 = -7;

export interface SoftwarePasskey {
  id: string;
  create(options: CreationOptions, origin: string, tampering?: Tampering): Record<string, unknown>;
  get(options: RequestOptions, origin: string, tampering?: Tampering): Record<string, unknown>;
}

export function createSoftwarePasskey(): SoftwarePasskey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rawId = randomBytes(32);
  const id = rawId.toString('base64url');
  let counter = 0;
  let owner = '';

  return {
    id,
    create(options, origin, tampering = {}) {
      owner = options.user.id;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(rawId.length);
      const credential = Buffer.concat([Buffer.alloc(16), length, rawId, coseKey(publicKey)]);
      const authData = Buffer.concat([
        authenticatorData(tampering.rpId ?? options.rp.id, {
          flags: (tampering.flags ?? PRESENT_AND_VERIFIED) | HAS_CREDENTIAL,
          counter,
        }),
        credential,
      ]);
      const { attestedBy } = tampering;
      const statement: [Buffer, Buffer][] = [
        [cborText('alg'), cborInt(ES256)],
        [cborText('sig'), cborBytes(Buffer.alloc(70))],
        [cborText('x5c'), cborList((attestedBy ?? []).map(cborBytes))],
      ];
      const attestation = cborMap([
        [cborText('fmt'), cborText(attestedBy === undefined ? 'none' : 'packed')],
        [cborText('attStmt'), cborMap(attestedBy === undefined ? [] : statement)],
        [cborText('authData'), cborBytes(authData)],
      ]);
      return {
        ...wrapCredential(id),
        response: {
          clientDataJSON: clientData('webauthn.create', options.challenge, origin, tampering).toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    get(options, origin, tampering = {}) {
      counter = tampering.counter ?? counter + 1;
      const data = clientData('webauthn.get', options.challenge, origin, tampering);
      const authData = authenticatorData(tampering.rpId ?? options.rpId, {
        flags: tampering.flags ?? PRESENT_AND_VERIFIED,
        counter,
      });
      const signed = Buffer.concat([authData, createHash('sha256').update(data).digest()]);
      const signature = sign('sha256', signed, privateKey);
      if (tampering.breakSignature === true) signature.writeUInt8(signature.readUInt8(20) ^ 1, 20);
      return {
        ...wrapCredential(id),
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle: tampering.userHandle ?? owner,
        },
      };
    },
  };
}

const wrapCredential = (id: string) => ({ id, rawId: id, type: 'public-key', clientExtensionResults: {} });

function clientData(type: string, challenge: string, origin: string, tampering: Tampering): Buffer {
  return Buffer.from(
    JSON.stringify({
      type,
      challenge: tampering.challenge ?? challenge,
      origin: tampering.origin ?? origin,
      crossOrigin: false,
    }),
  );
}

function authenticatorData(rpId: string, { flags, counter }: { flags: number; counter: number }): Buffer {
  const tail = Buffer.alloc(5);
  tail.writeUInt8(flags, 0);
  tail.writeUInt32BE(counter, 1);
  return Buffer.concat([createHash('sha256').update(rpId).digest(), tail]);
}

/** Encodes an EC2 key for ES256 (RFC 9053). */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return cborMap([
    [cborInt(1), cborInt(2)],
    [cborInt(3), cborInt(ES256)],
    [cborInt(-1), cborInt(1)],
    [cborInt(-2), cborBytes(Buffer.from(x, 'base64url'))],
    [cborInt(-3), cborBytes(Buffer.from(y, 'base64url'))],
  ]);
}

/** Encodes a head of CBOR (RFC 8949), as far as needed here. */
function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 0xff]);
}
const cborInt = (value: number): Buffer => (value >= 0 ? cborHead(0, value) : cborHead(1, -1 - value));
const cborBytes = (bytes: Buffer): Buffer => Buffer.concat([cborHead(2, bytes.length), bytes]);
const cborText = (text: string): Buffer => Buffer.concat([cborHead(3, text.length), Buffer.from(text)]);
const cborList = (items: readonly Buffer[]): Buffer => Buffer.concat([cborHead(4, items.length), ...items]);
const cborMap = (pairs: readonly (readonly [Buffer, Buffer])[]): Buffer =>
  Buffer.concat([cborHead(5, pairs.length), ...pairs.flat()]);
