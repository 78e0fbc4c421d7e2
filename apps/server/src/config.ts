/** Reads the environment, as the only module. Every variable is listed in `.env.example`. */
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** Returns a schema of whole numbers. A message continues the variable's name; it never repeats the value. */
function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER, what = 'a whole number') {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return numberIn(min, max, `must be ${what} ${range}`).refine(Number.isInteger, `must be ${what} ${range}`);
}
const numberIn = (min: number, max: number, error: string) =>
  z.coerce.number({ error }).refine((value) => value >= min && value <= max, { error, abort: true });
const bytes = (min: number, max?: number) => wholeNumber(min, max, 'a whole number of bytes, without a unit,');
const seconds = (min: number, max: number) => wholeNumber(min, max, 'a whole number of seconds');

const text = z.string().trim().min(1, 'must not be blank');
function textOf(min: number, max: number) {
  const rule = { error: `must have ${min} to ${max} characters`, abort: true };
  return z.string().min(min, rule).max(max, rule);
}

const boolean = z.enum(['true', 'false'], 'must be true or false');

const webAddress = (example: string) => z.url({ protocol: /^https?$/, error: `must be a URL such as ${example}` });
const address = (...schemes: readonly string[]) =>
  z.url({
    protocol: new RegExp(`^(?:${schemes.join('|')})$`),
    abort: true,
    error: `must be a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}, with characters such as # and / in its password percent-encoded`,
  });
/** Returns a schema of addresses with a percent-encoded name and password. */
const addressOf = (...schemes: readonly string[]) =>
  address(...schemes).refine((text) => decode(text) !== undefined, 'must have a literal % written as %25');
/** The driver of PostgreSQL accepts a literal %. */
const database = address('postgres', 'postgresql');

const environment = z
  .object({
    PORT: wholeNumber(0, 65_535).default(3000),
    HOST: text.default('127.0.0.1'),
    DATA_DIR: text.default('./data'),
    /** PostgreSQL database that several nodes share. Without it there is one node, with a file in `DATA_DIR`. */
    DATABASE_URL: database.optional(),
    /** Streaming replica of it, for reports. */
    DATABASE_READ_URL: database.optional(),
    /** Maximum lag of the replica in seconds, beyond which it is not used. */
    DATABASE_READ_LAG_SECONDS: seconds(2, 3600).default(5),
    /** Redis through which nodes share limits. Without it, each node has separate limits. Never holds money. */
    REDIS_URL: addressOf('redis', 'rediss').optional(),
    /** ClickHouse that receives a copy of each usage record: http(s)://user:password@host:8123/database. */
    CLICKHOUSE_URL: addressOf('http', 'https').optional(),
    CLICKHOUSE_TABLE: z
      .string()
      .regex(/^[A-Za-z_]\w{0,63}$/, 'must be up to 64 letters, digits and _, without a digit at its start')
      .default('usage_record'),
    /** 32 bytes as base64 or hex. */
    MASTER_KEY: text.optional(),
    /** Previous master key, for the start that switches to a new one. */
    MASTER_KEY_OLD: text.optional(),
    ROOT_USERNAME: z.string().trim().pipe(textOf(3, 32)).optional(),
    ROOT_PASSWORD: textOf(8, 128).optional(),
    LOG_LEVEL: z.enum(['error', 'warn', 'info', 'debug'], 'must be error, warn, info or debug').default('info'),
    /** Address under which people reach the console, when it differs from HOST:PORT. */
    PUBLIC_URL: webAddress('https://gateway.example.com').optional(),
    /** Comma-separated addresses or networks of reverse proxies whose `X-Forwarded-For` is trusted. */
    TRUSTED_PROXIES: z
      .string()
      .refine(
        (list) =>
          splitList(list).every((entry) => (entry.includes('/') ? ipaddr.isValidCIDR(entry) : ipaddr.isValid(entry))),
        'must be addresses or networks such as 10.0.0.0/8, separated by commas',
      )
      .default(''),
    /** Staff may sign in over plain HTTP from other machines. */
    PLAIN_HTTP_STAFF: boolean.default('false'),
    /**
     * Internal hosts or networks that channels may call, besides public addresses; `*` allows all but metadata
     * services.
     */
    OUTBOUND_ALLOW: z
      .string()
      .refine(
        (list) => splitList(list).every((entry) => !entry.includes('/') || ipaddr.isValidCIDR(entry)),
        'must be hosts without a scheme, or networks such as 10.0.0.0/8, separated by commas',
      )
      .default(''),
    /** Maximum bytes of the JSON body of a relayed request. */
    RELAY_BODY_MAX: bytes(1024, 1_073_741_824).default(33_554_432),
    /** Maximum bytes of memory for the bodies and responses of all running relayed requests. */
    RELAY_MEMORY_MAX: bytes(1024).optional(),
    /** Former name of `RELAY_MEMORY_MAX`. */
    RELAY_BODIES_MAX: bytes(1024).optional(),
    /** Maximum connections of clients, in total and per address. */
    CONNECTIONS_MAX: wholeNumber(1).optional(),
    CONNECTIONS_PER_ADDRESS: wholeNumber(1).optional(),
    /** Target of the command `copy`, when the command line should not show it. */
    COPY_TO: text.optional(),
    /** Source of the command `import`, when the command line should not show it. */
    IMPORT_FROM: text.optional(),
    /** Master key of a LiteLLM proxy, for the command `import`. */
    IMPORT_KEY: text.optional(),
    /** Access token of the server that the command `config` talks to. */
    SWITCHYARD_TOKEN: text.optional(),
    /** Seconds that running requests may take to finish after SIGTERM. */
    DRAIN_SECONDS: seconds(0, 600).default(30),
    /**
     * Seconds after SIGTERM in which new requests are still accepted, so that balancers see at `/readyz` that this
     * node stops.
     */
    DRAIN_DELAY_SECONDS: seconds(0, 600).default(0),
    /** Bearer token for reading `/api/metrics`. */
    METRICS_TOKEN: textOf(16, 512)
      .regex(/^[\w.~+/-]+=*$/, 'must have letters, digits and - . _ ~ + / only, with = at its end only')
      .optional(),
    /** Username and password for reading `/api/metrics`, as an alternative to the token. */
    METRICS_USER: z
      .string()
      .trim()
      .pipe(textOf(1, 64).regex(/^[^:]*$/, 'must not contain a colon'))
      .optional(),
    METRICS_PASSWORD: textOf(8, 512).optional(),
    /** Address of an OTLP/HTTP collector; the paths of traces and metrics are appended. */
    OTEL_EXPORTER_OTLP_ENDPOINT: webAddress('http://localhost:4318').optional(),
    /** `name=value`, separated by commas, percent-encoded. */
    OTEL_EXPORTER_OTLP_HEADERS: z.string().default(''),
    OTEL_SERVICE_NAME: text.default('switchyard'),
    /** Share of requests that are traced, 0 to 1. */
    OTEL_TRACES_SAMPLER_ARG: numberIn(0, 1, 'must be a number from 0 to 1').default(1),
    /** Comma-separated hosts of upstreams that receive the trace id of a call. */
    TRACE_UPSTREAMS: z.string().default(''),
    /** Passphrase that encrypts backups; without it the master key is used. */
    BACKUP_PASSPHRASE: textOf(12, 1024).optional(),
    /** True if the database is copied before an upgrade changes its tables. */
    BACKUP_BEFORE_UPGRADE: boolean.default('true'),
  })
  .refine((env) => (env.ROOT_USERNAME === undefined) === (env.ROOT_PASSWORD === undefined), {
    path: ['ROOT_USERNAME'],
    message: 'must be set together with ROOT_PASSWORD',
  })
  .refine((env) => env.DATABASE_READ_URL === undefined || env.DATABASE_URL !== undefined, {
    path: ['DATABASE_READ_URL'],
    message: 'requires DATABASE_URL',
  })
  .refine((env) => (env.METRICS_USER === undefined) === (env.METRICS_PASSWORD === undefined), {
    path: ['METRICS_USER'],
    message: 'must be set together with METRICS_PASSWORD',
  })
  .refine((env) => parseHeaders(env.OTEL_EXPORTER_OTLP_HEADERS) !== undefined, {
    path: ['OTEL_EXPORTER_OTLP_HEADERS'],
    message: 'must be name=value pairs, separated by commas and percent-encoded',
  });

/** https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ */
const TURNSTILE_URL = 'https://challenges.cloudflare.com/turnstile/v0/siteverify';

export interface Config {
  port: number;
  host: string;
  dataDir: string;
  /** Undefined: a single node with a file in `dataDir`. */
  databaseUrl: string | undefined;
  /** Undefined: reports are read from the primary. */
  replica: { url: string; maxLagMs: number } | undefined;
  redisUrl: string | undefined;
  /** Undefined: records are not exported. */
  clickhouse: ClickhouseConfig | undefined;
  masterKey: string | undefined;
  masterKeyOld: string | undefined;
  root: { username: string; password: string } | undefined;
  logLevel: 'error' | 'warn' | 'info' | 'debug';
  publicUrl: string | undefined;
  trustedProxies: readonly string[];
  outboundAllow: readonly string[];
  plainHttpStaff: boolean;
  relayBodyMaxBytes: number;
  /** Undefined: a share of the memory that the process may use. */
  relayMemoryMaxBytes: number | undefined;
  /** Undefined: as many as the limit of open files allows. */
  connectionsMax: number | undefined;
  /** Undefined: a share of the total. */
  connectionsPerAddress: number | undefined;
  drainSeconds: number;
  delaySeconds: number;
  /** Credentials that may read `/api/metrics`; empty: the route responds with 404. */
  metricsReaders: readonly MetricsReader[];
  /** Undefined: traces and metrics are not sent. */
  telemetry: TelemetryConfig | undefined;
  backupPassphrase: string | undefined;
  backupBeforeUpgrade: boolean;
  copyTo?: string | undefined;
  importFrom?: string | undefined;
  importKey?: string | undefined;
  accessToken?: string | undefined;
  /** Address that verifies human checks; only tests change it. */
  turnstileUrl: string;
}

/** Credentials in `Authorization`. */
export interface MetricsReader {
  scheme: 'Bearer' | 'Basic';
  credentials: string;
}

export interface ClickhouseConfig {
  /** Name of the target. For another server or table, the export starts with the first record that still exists. */
  sink: string;
  origin: string;
  user: string;
  password: string;
  database: string;
  table: string;
}

export interface TelemetryConfig {
  /** Without a slash at its end. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  /** Share of requests that are traced, 0 to 1. */
  traceRatio: number;
  /** Hosts that receive the trace id of a call. */
  traceUpstreams: readonly string[];
}

/** Error with one sentence for each invalid variable. */
export class ConfigError extends Error {}

/** @throws ConfigError with a readable line for each invalid variable; values are never repeated */
export function readConfig(variables: Readonly<Record<string, string | undefined>> = process.env): Config {
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(present);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}.`).join('\n'));
  }
  const env = parsed.data;
  return {
    port: env.PORT,
    host: env.HOST,
    dataDir: resolve(env.DATA_DIR),
    databaseUrl: env.DATABASE_URL,
    replica:
      env.DATABASE_READ_URL === undefined
        ? undefined
        : { url: env.DATABASE_READ_URL, maxLagMs: env.DATABASE_READ_LAG_SECONDS * 1000 },
    redisUrl: env.REDIS_URL,
    clickhouse: parseClickhouse(env),
    masterKey: env.MASTER_KEY,
    masterKeyOld: env.MASTER_KEY_OLD,
    root:
      env.ROOT_USERNAME !== undefined && env.ROOT_PASSWORD !== undefined
        ? { username: env.ROOT_USERNAME, password: env.ROOT_PASSWORD }
        : undefined,
    logLevel: env.LOG_LEVEL,
    publicUrl: env.PUBLIC_URL?.replace(/\/+$/, ''),
    trustedProxies: splitList(env.TRUSTED_PROXIES),
    outboundAllow: splitList(env.OUTBOUND_ALLOW),
    plainHttpStaff: env.PLAIN_HTTP_STAFF === 'true',
    relayBodyMaxBytes: env.RELAY_BODY_MAX,
    relayMemoryMaxBytes: env.RELAY_MEMORY_MAX ?? env.RELAY_BODIES_MAX,
    connectionsMax: env.CONNECTIONS_MAX,
    connectionsPerAddress: env.CONNECTIONS_PER_ADDRESS,
    drainSeconds: env.DRAIN_SECONDS,
    delaySeconds: env.DRAIN_DELAY_SECONDS,
    metricsReaders: parseMetricsReaders(env),
    telemetry:
      env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? undefined
        : {
            endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, ''),
            headers: parseHeaders(env.OTEL_EXPORTER_OTLP_HEADERS) ?? {},
            serviceName: env.OTEL_SERVICE_NAME,
            traceRatio: env.OTEL_TRACES_SAMPLER_ARG,
            traceUpstreams: splitList(env.TRACE_UPSTREAMS),
          },
    backupPassphrase: env.BACKUP_PASSPHRASE,
    backupBeforeUpgrade: env.BACKUP_BEFORE_UPGRADE === 'true',
    copyTo: env.COPY_TO,
    importFrom: env.IMPORT_FROM,
    importKey: env.IMPORT_KEY,
    accessToken: env.SWITCHYARD_TOKEN,
    turnstileUrl: TURNSTILE_URL,
  };
}

/**
 * Returns the environment variable that a configuration file names by `${env:NAME}`.
 * @throws for a variable of this program, because a file could send its value to any provider
 */
export function readVariable(name: string): string | undefined {
  if (Object.hasOwn(environment.shape, name))
    throw new Error(`The variable ${name} belongs to the server and cannot be used in a channel`);
  return process.env[name];
}

type Environment = z.output<typeof environment>;

function parseMetricsReaders({ METRICS_TOKEN: token, METRICS_USER: user, METRICS_PASSWORD: password }: Environment) {
  const readers: MetricsReader[] = [];
  if (token !== undefined) readers.push({ scheme: 'Bearer', credentials: token });
  if (user !== undefined && password !== undefined)
    readers.push({ scheme: 'Basic', credentials: Buffer.from(`${user}:${password}`).toString('base64') });
  return readers;
}

function parseClickhouse({ CLICKHOUSE_URL: address, CLICKHOUSE_TABLE: table }: Environment) {
  if (address === undefined) return undefined;
  const { origin, username, password, pathname } = new URL(address);
  const database = decodeURIComponent(pathname.slice(1)) || 'default';
  return {
    sink: `clickhouse ${origin} ${database}.${table}`,
    origin,
    user: decodeURIComponent(username) || 'default',
    password: decodeURIComponent(password),
    database,
    table,
  };
}

/**
 * Returns the headers; undefined if the text is not in OpenTelemetry's format.
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
function parseHeaders(text: string): Record<string, string> | undefined {
  const pairs = splitList(text).map((pair) => /^([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*)$/.exec(pair));
  const headers: Record<string, string> = {};
  for (const pair of pairs) {
    const [, name, value] = pair ?? [];
    const decoded = value === undefined ? undefined : decode(value);
    if (name === undefined || decoded === undefined) return undefined;
    headers[name.toLowerCase()] = decoded;
  }
  return headers;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function splitList(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
