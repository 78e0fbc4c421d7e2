import { describe, expect, it } from 'vitest';
import { sampleTarget } from '../testing/sample-requests.ts';
import { readEmbeddedError, readError } from './read-upstream-error.ts';

const target = sampleTarget('custom');
const told = (status: number, body: unknown): boolean =>
  readError(target, status, {}, Buffer.from(JSON.stringify(body))).isOverload;

describe('isOverload', () => {
  it.each([
    [529, {}],
    [503, {}],
    [503, { error: { code: 503, status: 'UNAVAILABLE', message: 'Try later' } }],
    [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    [500, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    [500, { error: { code: 'slow_down', message: 'x' } }],
    [500, { error: { message: 'This model is currently experiencing high demand.' } }],
    [500, { error: { message: '服务繁忙' } }],
    [429, { error: { type: 'engine_overloaded_error', message: 'x' } }],
    [429, { error: { code: 'server_is_overloaded', message: 'x' } }],
  ])('is true for %i %j', (status, body) => {
    expect(told(status, body)).toBe(true);
  });

  it.each([
    [500, { error: { message: 'Internal server error', type: 'server_error' } }],
    [502, {}],
    [504, {}],
    [429, { error: { code: 'slow_down', message: 'x' } }],
    [429, { error: { code: 'rate_limit_exceeded', message: 'x' } }],
    [400, { error: { type: 'overloaded_error', code: 'invalid_value', message: 'overloaded operator' } }],
    [401, { error: { message: 'overloaded', type: 'authentication_error' } }],
  ])('is false for %i %j', (status, body) => {
    expect(told(status, body)).toBe(false);
  });

  it.each([
    [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, true],
    [{ error: { code: 503, message: 'x', status: 'UNAVAILABLE' } }, true],
    [{ type: 'response.failed', error: { code: 'server_is_overloaded', message: 'x' } }, true],
    [{ error: { code: 500, message: 'x', status: 'INTERNAL' } }, false],
    [{ error: { message: 'It broke.' } }, false],
  ])('is true inside a 200: %j', (body, expected) => {
    expect(readEmbeddedError(body, target).isOverload).toBe(expected);
  });
});
