/** The only reader of the environment. Every variable is listed in `.env.example`. */
import { resolve } from 'node:path';
import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65_535);
const text = z.string().trim().min(1);

const environment = z
  .object({
    PORT: port.default(3000),
    HOST: text.default('127.0.0.1'),
    DATA_DIR: text.default('./data'),
    /** 32 bytes as base64 or hex. */
    MASTER_KEY: text.optional(),
    /** The one before, for the start that takes over a new one. */
    MASTER_KEY_OLD: text.optional(),
    ROOT_USERNAME: text.min(3).max(32).optional(),
    ROOT_PASSWORD: z.string().min(8).max(128).optional(),
    LOG_LEVEL: z.enum(['error', 'warn', 'info', 'debug']).default('info'),
    /** Address under which people reach the console, when it differs from HOST:PORT. */
    PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
    /** Addresses or networks of reverse proxies whose `X-Forwarded-For` is believed, separated by commas. */
    TRUSTED_PROXIES: z.string().default(''),
    /** Staff may sign in over plain HTTP from other machines. */
    PLAIN_HTTP_STAFF: z.enum(['true', 'false']).default('false'),
    /** Hosts or networks inside that channels may call, besides public addresses; `*` allows all but metadata services. */
    OUTBOUND_ALLOW: z.string().default(''),
    /** Largest JSON body of a relayed request, bytes. */
    RELAY_BODY_MAX: z.coerce.number().int().min(1024).max(1_073_741_824).default(33_554_432),
    /** Memory for the bodies of all relayed requests that are running, bytes. */
    RELAY_BODIES_MAX: z.coerce.number().int().min(1024).default(268_435_456),
    /** Of the command `import`: where from, when the command line should not show it. */
    IMPORT_FROM: text.optional(),
    /** Of the command `import`: the master key of a LiteLLM proxy. */
    IMPORT_KEY: text.optional(),
    /** Seconds that running requests may take to finish after SIGTERM. */
    DRAIN_SECONDS: z.coerce.number().int().min(0).max(600).default(30),
  })
  .refine((env) => (env.ROOT_USERNAME === undefined) === (env.ROOT_PASSWORD === undefined), {
    path: ['ROOT_USERNAME'],
    message: 'ROOT_USERNAME and ROOT_PASSWORD must be set together',
  });

/** https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ */
const TURNSTILE_URL = 'https://challenges.cloudflare.com/turnstile/v0/siteverify';

export interface Config {
  port: number;
  host: string;
  dataDir: string;
  masterKey: string | undefined;
  masterKeyOld: string | undefined;
  root: { username: string; password: string } | undefined;
  logLevel: 'error' | 'warn' | 'info' | 'debug';
  publicUrl: string | undefined;
  trustedProxies: readonly string[];
  outboundAllow: readonly string[];
  plainHttpStaff: boolean;
  relayBodyMaxBytes: number;
  relayBodiesMaxBytes: number;
  drainSeconds: number;
  importFrom?: string | undefined;
  importKey?: string | undefined;
  /** Where the answers to human checks are verified; only tests have another. */
  turnstileUrl: string;
}

/** One sentence for each variable that is wrong. */
export class ConfigError extends Error {}

/** @throws ConfigError with a readable line for each wrong variable; values are never repeated. */
export function readConfig(variables: Readonly<Record<string, string | undefined>> = process.env): Config {
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(present);
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'),
    );
  }
  const env = parsed.data;
  return {
    port: env.PORT,
    host: env.HOST,
    dataDir: resolve(env.DATA_DIR),
    masterKey: env.MASTER_KEY,
    masterKeyOld: env.MASTER_KEY_OLD,
    root:
      env.ROOT_USERNAME !== undefined && env.ROOT_PASSWORD !== undefined
        ? { username: env.ROOT_USERNAME, password: env.ROOT_PASSWORD }
        : undefined,
    logLevel: env.LOG_LEVEL,
    publicUrl: env.PUBLIC_URL?.replace(/\/+$/, ''),
    trustedProxies: list(env.TRUSTED_PROXIES),
    outboundAllow: list(env.OUTBOUND_ALLOW),
    plainHttpStaff: env.PLAIN_HTTP_STAFF === 'true',
    relayBodyMaxBytes: env.RELAY_BODY_MAX,
    relayBodiesMaxBytes: env.RELAY_BODIES_MAX,
    drainSeconds: env.DRAIN_SECONDS,
    importFrom: env.IMPORT_FROM,
    importKey: env.IMPORT_KEY,
    turnstileUrl: TURNSTILE_URL,
  };
}

function list(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
