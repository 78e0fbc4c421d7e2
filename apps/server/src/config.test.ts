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
  ])('that is wrong in %s is refused with a line that names it', (name, value) => {
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(new RegExp(`^${name}: `));
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
    for (const name of ['PORT', 'LOG_LEVEL', 'ROOT_PASSWORD']) expect(read).toThrow(new RegExp(`^${name}: `, 'm'));
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
