import { expect, it } from 'vitest';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { sampleTarget } from '../testing/sample-requests.ts';
import { redactEvent } from './session-events-and-settings.ts';

const target = sampleTarget('openai');

it('redacts the channel’s key in an error, and leaves the rest unchanged', () => {
  const error = { type: 'invalid_request_error', code: 'x', message: 'wrong key sample-secret-key' };
  expect(JSON.parse(redactEvent({ type: 'error', event_id: 'e', error }, target) ?? '')).toEqual({
    type: 'error',
    event_id: 'e',
    error: { ...error, message: 'wrong key [key]' },
  });
});

it('redacts a failed response', () => {
  const response = { id: 'r', status_details: { type: 'failed', error: { message: 'Bearer sample-secret-key' } } };
  const told = redactEvent({ type: 'response.done', response }, target);
  expect(told).not.toContain('sample-secret-key');
  expect(told).toContain('"id":"r"');
});

it('leaves every other event unchanged', () => {
  expect(redactEvent({ type: 'response.done', response: { id: 'r' } }, target)).toBeUndefined();
  expect(redactEvent({ type: 'session.created', session: {} }, target)).toBeUndefined();
  for (const event of [null, 5, 'text', [], undefined]) expect(redactEvent(event, target)).toBeUndefined();
});

it('redacts a failed transcription or tool call', () => {
  for (const type of ['conversation.item.input_audio_transcription.failed', 'mcp_list_tools.failed']) {
    const told = redactEvent({ type, error: { message: 'wrong key sample-secret-key' } }, target);
    expect(JSON.parse(told ?? '')).toEqual({ type, error: { message: 'wrong key [key]' } });
  }
});

it('reduces an error with many texts to its essential fields quickly', () => {
  const error = { message: 'wrong key sample-secret-key', type: 'server_error', code: 'x', event_id: 'e' };
  const texts = Array.from({ length: 900_000 }, () => '');
  const response = { id: 'r', status_details: { type: 'failed', error: { ...error, texts } } };
  const readCpuMs = startCpuTimer();
  const told = redactEvent({ type: 'error', error: { ...error, texts } }, target);
  const failed = redactEvent({ type: 'response.done', response }, target);
  const cpuMs = readCpuMs();
  const clean = { ...error, message: 'wrong key [key]' };
  expect(JSON.parse(told ?? '')).toEqual({ type: 'error', error: clean });
  expect(JSON.parse(failed ?? '')).toMatchObject({ response: { id: 'r', status_details: { error: clean } } });
  expect(cpuMs).toBeLessThan(2_000);
});
