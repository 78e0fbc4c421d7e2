/** Addresses that a server must not call, in all known forms that bypass filters. */

type Bytes = readonly [number, number, number, number];

const hex = (value: number, digits = 0): string => value.toString(16).padStart(digits, '0');
const pair = (high: number, low: number): string => hex(high * 256 + low);
const asNumber = ([a, b, c, d]: Bytes): number => ((a * 256 + b) * 256 + c) * 256 + d;
const toFullWidth = (text: string): string =>
  text.replace(/[0-9.]/g, (char) => (char === '.' ? '。' : String.fromCharCode(char.charCodeAt(0) + 0xfee0)));
const toIpv6Groups = ([a, b, c, d]: Bytes): string => `${pair(a, b)}:${pair(c, d)}`;

/** Notations of an IPv4 address as the host of a URL. */
const ipv4Forms: readonly ((bytes: Bytes) => string)[] = [
  (bytes) => bytes.join('.'),
  (bytes) => `${bytes.join('.')}.`,
  (bytes) => String(asNumber(bytes)),
  (bytes) => `0x${hex(asNumber(bytes), 8)}`,
  (bytes) => `0${asNumber(bytes).toString(8)}`,
  (bytes) => bytes.map((byte) => `0x${hex(byte)}`).join('.'),
  (bytes) => bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
  ([a, b, c, d]) => `${a}.0x${hex(b)}.0${(c * 256 + d).toString(8)}`,
  ([a, b, c, d]) => `${a}.${(b * 256 + c) * 256 + d}`,
  (bytes) => toFullWidth(bytes.join('.')),
  (bytes) => bytes.join('%2e'),
  (bytes) => `[::ffff:${bytes.join('.')}]`,
  (bytes) => `[::ffff:${toIpv6Groups(bytes)}]`,
  (bytes) => `[::${bytes.join('.')}]`,
  (bytes) => `[0:0:0:0:0:0:${toIpv6Groups(bytes)}]`,
  (bytes) => `[::ffff:0:${bytes.join('.')}]`,
  (bytes) => `[64:ff9b::${bytes.join('.')}]`,
  (bytes) => `[64:ff9b:1::${bytes.join('.')}]`,
  (bytes) => `[2002:${toIpv6Groups(bytes)}::]`,
  ([a, b, c, d]) => `[2001:0:4136:e378:8000:63bf:${toIpv6Groups([255 - a, 255 - b, 255 - c, 255 - d])}]`,
  (bytes) => `[::5efe:${toIpv6Groups(bytes)}]`,
];

const targets: readonly Bytes[] = [
  [127, 0, 0, 1],
  [10, 0, 0, 1],
  [169, 254, 169, 254],
  [192, 168, 1, 1],
];

const others = [
  '0',
  '0x0',
  '0.0.0.0',
  '127.1',
  '127.255.255.254',
  '172.16.0.1',
  '172.31.255.255',
  '100.64.0.1',
  '100.127.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[fe80::1]',
  '[febf::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fdff::1]',
  '[ff02::1]',
  '[ff0e::1]',
  '[100::1]',
  '[2001:db8::1]',
  '[2001:2::1]',
  '[2001:10::1]',
  '[2001:20::1]',
  '[3fff::1]',
  '[4000::1]',
  '[5f00::1]',
  '[e000::1]',
  '[fe80::1%25lo]',
  '[::1%25lo]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'local\u00adhost',
  'local\thost',
  '１②７.⓪.0。₁',
  'user:password@127.0.0.1',
  'example.com@127.0.0.1',
  'example.com%40@127.0.0.1',
  '@127.0.0.1',
  '127.0.0.1\\@example.com',
  '/127.0.0.1',
  '//127.0.0.1',
  // Metadata services.
  'metadata.google.internal',
  'METADATA.google.internal.',
  'metadata',
  'metadata.goog',
  'instance-data.ec2.internal',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '169.254.170.2',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
];

/** Hosts as written in a URL, between `http://` and the port. */
export const internalHosts: readonly string[] = [
  ...targets.flatMap((target) => ipv4Forms.map((form) => form(target))),
  ...others,
];

/** Names that resolve to internal addresses; the test's resolver returns them. */
export const internalNames: Readonly<Record<string, readonly string[]>> = {
  'loopback.test': ['127.0.0.1'],
  'any.test': ['0.0.0.0'],
  'any-6.test': ['::'],
  'loopback-6.test': ['::1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'mapped-hex.test': ['::ffff:7f00:1'],
  'compatible.test': ['::127.0.0.1'],
  'translated.test': ['::ffff:0:127.0.0.1'],
  'nat64.test': ['64:ff9b::7f00:1'],
  '6to4.test': ['2002:7f00:1::'],
  'teredo.test': ['2001:0:4136:e378:8000:63bf:80ff:fffe'],
  'private.test': ['10.0.0.1'],
  'shared.test': ['100.64.0.1'],
  'link.test': ['169.254.169.254'],
  'link-6.test': ['fe80::1%lo'],
  'unique.test': ['fd00::1'],
  'several.test': ['10.0.0.1', '127.0.0.1', '::1'],
  'dot.test.': ['127.0.0.1'],
  'xn--bcher-kva.test': ['127.0.0.1'],
};
