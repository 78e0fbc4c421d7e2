import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

describe('the environment', () => {
  test('may be empty', () => {
    expect(readConfig({})).toMatchObject({ port: 3000, host: '127.0.0.1', logLevel: 'info', root: undefined });
  });

  test('takes an empty variable for an absent one', () => {
    expect(readConfig({ PORT: '', MASTER_KEY: '' })).toMatchObject({ port: 3000, masterKey: undefined });
  });

  test.each([
    ['PORT', 'eighty'],
    ['PORT', '70000'],
    ['LOG_LEVEL', 'loud'],
    ['PUBLIC_URL', 'example.com'],
    ['DRAIN_SECONDS', '-1'],
    ['ROOT_USERNAME', 'root'],
    ['DATABASE_READ_URL', 'postgres://replica/gate'],
    ['CLICKHOUSE_URL', 'clickhouse://host/usage'],
    ['CLICKHOUSE_URL', 'http://user:p%rcent@host/usage'],
    ['REDIS_URL', 'redis://user:p%rcent@host'],
    ['CLICKHOUSE_TABLE', 'usage; drop table users'],
    ['TRUSTED_PROXIES', 'proxy.internal'],
    ['OUTBOUND_ALLOW', 'http://10.0.0.1/'],
  ])('that is wrong in %s is refused with a line that names it', (name, value) => {
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(new RegExp(`^${name} [^\\n]*\\.$`));
  });

  test.each([
    ['PORT', '80a', 'must be a whole number from 0 to 65535.'],
    ['PORT', '80.5', 'must be a whole number from 0 to 65535.'],
    ['PORT', '-1.5', 'must be a whole number from 0 to 65535.'],
    ['RELAY_BODY_MAX', '32MB', 'must be a whole number of bytes, without a unit, from 1024 to 1073741824.'],
    ['RELAY_MEMORY_MAX', '1GB', 'must be a whole number of bytes, without a unit, of at least 1024.'],
    ['CONNECTIONS_MAX', 'many', 'must be a whole number of at least 1.'],
    ['DRAIN_SECONDS', '30s', 'must be a whole number of seconds from 0 to 600.'],
    ['OTEL_TRACES_SAMPLER_ARG', '50%', 'must be a number from 0 to 1.'],
    ['PUBLIC_URL', 'gateway.internal', 'must be a URL such as https://gateway.example.com.'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector', 'must be a URL such as http://localhost:4318.'],
    ['LOG_LEVEL', 'loud', 'must be error, warn, info or debug.'],
    ['PLAIN_HTTP_STAFF', 'yes', 'must be true or false.'],
    ['DATA_DIR', ' ', 'must not be blank.'],
    ['BACKUP_PASSPHRASE', 'short', 'must have 12 to 1024 characters.'],
    ['METRICS_TOKEN', 'short token', 'must have 16 to 512 characters.'],
    ['TRUSTED_PROXIES', '10.0.0.0/8, proxy', 'must be addresses or networks such as 10.0.0.0/8, separated by commas.'],
    [
      'OUTBOUND_ALLOW',
      '10.0.0.0/33',
      'must be hosts without a scheme, or networks such as 10.0.0.0/8, separated by commas.',
    ],
    ['ROOT_USERNAME', 'root', 'must be set together with ROOT_PASSWORD.'],
    ['DATABASE_READ_URL', 'postgres://replica/gate', 'requires DATABASE_URL.'],
  ])('says what %s must be', (name, value, message) => {
    expect(() => readConfig({ [name]: value })).toThrow(new ConfigError(`${name} ${message}`));
  });

  test('takes single addresses and networks of both kinds', () => {
    const list = '127.0.0.1, ::1,10.0.0.0/8,fd00::/8';
    const { trustedProxies, outboundAllow } = readConfig({ TRUSTED_PROXIES: list, OUTBOUND_ALLOW: `*,ollama,${list}` });
    expect(trustedProxies).toEqual(['127.0.0.1', '::1', '10.0.0.0/8', 'fd00::/8']);
    expect(outboundAllow).toEqual(['*', 'ollama', ...trustedProxies]);
  });

  test.each([
    ['DATABASE_URL', 'mysql://user@host/gate', 'begins with postgres://'],
    ['DATABASE_URL', 'postgres://user:pa#ss@host/gate', 'percent-encoded'],
    ['REDIS_URL', 'redis://user:p%rcent@host', '%25'],
    ['REDIS_URL', 'http://host', 'begins with redis://'],
  ])('an address in %s of another scheme is refused with the expected one: %s', (name, value, hint) => {
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(hint);
    expect(read).not.toThrow('p%rcent');
  });

  test('names every invalid variable at once and repeats no value', () => {
    const read = () => readConfig({ PORT: 'x', LOG_LEVEL: 'y', ROOT_USERNAME: 'root', ROOT_PASSWORD: 'short7!' });
    for (const name of ['PORT', 'LOG_LEVEL', 'ROOT_PASSWORD']) expect(read).toThrow(new RegExp(`^${name} `, 'm'));
    expect(read).not.toThrow(/short7!/);
  });

  test('names a replica with how old its answers may be, and a ClickHouse with who it lets in', () => {
    const read = readConfig({
      DATABASE_URL: 'postgres://primary/gate',
      DATABASE_READ_URL: 'postgres://replica/gate',
      CLICKHOUSE_URL: 'https://writer:p%40ss@click.internal:8443/usage',
    });
    expect(read.replica).toEqual({ url: 'postgres://replica/gate', maxLagMs: 5_000 });
    expect(read.clickhouse).toEqual({
      sink: 'clickhouse https://click.internal:8443 usage.usage_record',
      origin: 'https://click.internal:8443',
      user: 'writer',
      password: 'p@ss',
      database: 'usage',
      table: 'usage_record',
    });
  });

  test('documents every environment variable in .env.example', () => {
    const source = readFileSync(join(import.meta.dirname, 'config.ts'), 'utf8');
    const example = readFileSync(join(import.meta.dirname, '../../../.env.example'), 'utf8');
    const names = [...source.matchAll(/^ {4}([A-Z_]+):/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(8);
    for (const name of names) expect(example).toMatch(new RegExp(`^#${name}=`, 'm'));
  });
});
