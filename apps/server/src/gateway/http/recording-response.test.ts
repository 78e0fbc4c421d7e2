import { describe, expect, it } from 'vitest';
import type { ClientResponse } from './client-response.ts';
import { RecordingResponse } from './recording-response.ts';
import { FinalEventMemory } from './responses-final-event.ts';

function listening(maxBytes: number, roomBytes = Number.POSITIVE_INFINITY, memory?: FinalEventMemory) {
  const reported: string[] = [];
  let counted = 0;
  const client: ClientResponse = {
    hasSentHead: false,
    isDelivering: false,
    hasLeft: false,
    unsentBytes: 0,
    waitUntilSent: () => Promise.resolve(),
    stopReason: undefined,
    mustAbort: false,
    onDrain: undefined,
    onLeave: undefined,
    stop: () => {},
    refuse: () => {},
    header: () => {},
    comment: () => {},
    disconnect: () => {},
    send: (_status, _type, body) => reported.push(`send ${String(body)}`),
    write: (_type, chunk) => reported.push(`write ${String(chunk)}`) > 0,
    end: (last) => reported.push(`end ${String(last)}`),
    sendNow: (_status, _type, body) => reported.push(`send now ${String(body)}`),
    endNow: (last) => reported.push(`end now ${String(last)}`),
  };
  const recording = new RecordingResponse(client, {
    maxBytes,
    grow(bytes) {
      if (counted + bytes > roomBytes) throw new Error('full');
      counted += bytes;
    },
    ...(memory !== undefined && { memory }),
  });
  return { recording, told: reported, counted: () => counted };
}

describe('a recording', () => {
  it('records the whole response, whose end waits until it is stored', () => {
    const { recording, told, counted } = listening(100);
    recording.write('text/event-stream', 'one');
    recording.write('text/event-stream', Buffer.from('two'));
    recording.end('three');
    expect(told).toEqual(['write one', 'write two']);
    expect(recording.response?.body.toString()).toBe('onetwothree');
    expect(counted()).toBe(11);
    recording.release();
    expect(told.at(-1)).toBe('end three');
  });

  it('sends the end of a refused stream at once, and records nothing', () => {
    const { recording, told } = listening(100);
    recording.write('text/event-stream', 'one');
    recording.endNow('error');
    expect(told).toEqual(['write one', 'end now error']);
    expect(recording.response).toBeUndefined();
    recording.release();
    expect(told).toHaveLength(2);
  });

  it.each([
    ['larger than may be kept', 5, 100],
    ['more than there is room for', 100, 5],
  ])('is abandoned when it is %s, and the client gets its response all the same', (_why, maxBytes, roomBytes) => {
    const { recording, told, counted } = listening(maxBytes, roomBytes);
    recording.write('text/event-stream', 'one');
    expect(recording.reserveRoom(2)).toBe(true);
    expect(recording.reserveRoom(4)).toBe(false);
    recording.write('text/event-stream', 'four');
    recording.end('');
    recording.release();
    expect(recording.response).toBeUndefined();
    expect(told).toEqual(['write one', 'write four', 'end ']);
    expect(counted()).toBe(5);
  });

  it('counts an answer that is sent whole', () => {
    const { recording, counted } = listening(100);
    expect(recording.reserveRoom(4)).toBe(true);
    recording.send(200, 'application/json', '{"a"');
    expect(recording.response).toMatchObject({ status: 200, body: Buffer.from('{"a"') });
    expect(counted()).toBe(4);
    const small = listening(3).recording;
    small.send(200, 'application/json', '{"a"');
    expect(small.response).toBeUndefined();
  });

  it('keeps only the last event of a stream if that is sufficient', () => {
    const { recording, counted } = listening(200, 200, new FinalEventMemory());
    const event = (type: string): string => `data: {"type":"${type}","text":"${'x'.repeat(50)}"}\n\n`;
    for (let count = 0; count < 50; count++)
      for (const half of event('response.output_text.delta').match(/[^]{1,30}/g) ?? [])
        recording.write('text/event-stream', half);
    recording.write('text/event-stream', event('response.completed'));
    recording.end('');
    expect(recording.response?.body.toString()).toBe(event('response.completed'));
    expect(counted()).toBeLessThan(150);
  });

  it('holds the last event also where no blank line is behind it', () => {
    const { recording } = listening(200, 200, new FinalEventMemory());
    recording.write('text/event-stream', 'data: {"type":"response.output_text.delta"}\n\n');
    recording.write('text/event-stream', 'data: {"type":"response.completed"}');
    recording.end('');
    expect(recording.response?.body.toString()).toBe('data: {"type":"response.completed"}');
  });
});
