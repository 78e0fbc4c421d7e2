import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { EventScanner } from './sse-event-scan.ts';

const watch = {
  content: ['content', 'text'],
  binary: ['data'],
  notable: ['usage', 'error'],
  notableValues: [['type', 'stop']],
  sources: ['found'],
} as const;

function scan(...payloads: string[]): { scanner: EventScanner; notable: string[] } {
  const bytes = Buffer.from(payloads.map((payload) => `data: ${payload}\n\n`).join(''));
  const scanner = new EventScanner(watch);
  const notable: string[] = [];
  scanner.scan(bytes, (start, end) => {
    notable.push(bytes.toString('utf8', start, end).slice(6).trim());
    return true;
  });
  return { scanner, notable };
}

describe('EventScanner', () => {
  it('counts characters of content like a reader, wide ones separately', () => {
    const { scanner } = scan('{"content":"aé中🐻"}', String.raw`{"text" : "\n\"\u4e2d\u00e9"}`);
    expect(scanner.characters).toBe(8);
    expect(scanner.wideCharacters).toBe(3);
  });

  it('counts binary content by its length, and never as nothing', () => {
    expect(scan('{"data":""}').scanner.characters).toBe(0);
    expect(scan('{"data":"A"}').scanner.characters).toBe(1);
    const { scanner } = scan(`{"data":"${'A'.repeat(256_000)}","text":"ab"}`);
    expect(scanner.characters).toBe(1_002);
    expect(scanner.sample).toBe('ab');
  });

  it('counts nothing without content', () => {
    const { scanner } = scan('{"role":"assistant","content":""}', '{"content":null}', '{"title":"content"}');
    expect(scanner.characters).toBe(0);
  });

  it('selects events whose watched key has a value, at any depth', () => {
    const events = ['{"usage":null}', '{"a":{"usage":{}}}', '{"error":""}', '{"error":"x"}', '{"type":"stopped"}'];
    expect(scan(...events).notable).toEqual([events[1], events[3], events[4]]);
  });

  it('ignores content that quotes a watched key', () => {
    const quoted = JSON.stringify({ content: '"usage":{"a":1}', other: 'usage', more: '\\"usage":' });
    expect(scan(quoted).notable).toEqual([]);
  });

  it('does not read the next line as a part of a truncated event', () => {
    const bytes = Buffer.from('data: {"usage"\r\n\r\n: ping\n\n');
    const seen: string[] = [];
    new EventScanner(watch).scan(bytes, (start, end) => seen.push(bytes.toString('utf8', start, end)) > 0);
    expect(seen).toEqual([]);
  });

  it('selects end marks', () => {
    expect(scan('[DONE]').notable).toEqual(['[DONE]']);
  });

  it.each([
    ['{"content":"ab', 2],
    ['{"content":"ab\\', 3],
    ['{"content":"\\u4e', 1],
    [`{"data":"${'A'.repeat(256)}`, 1],
  ])('counts a truncated string to the end of its line: %s', (cut, characters) => {
    const { scanner } = scan(cut, `{"title":"${'not content'.repeat(99)}","content":"c"}`);
    expect(scanner.characters).toBe(characters + 1);
  });

  it('counts nothing after the event that stops the scan', () => {
    const bytes = Buffer.from('data: {"content":"ab"}\n\ndata: {"error":"x"}\n\ndata: {"content":"cd"}\n\n');
    const scanner = new EventScanner(watch);
    scanner.scan(bytes, () => false);
    expect([scanner.characters, scanner.sample]).toEqual([2, 'ab']);
  });

  it('reads invalid text to its end', () => {
    const { scanner } = scan('{"content":"ab\\', '{"content', '"', '{"content":"c"}');
    expect(scanner.characters).toBeGreaterThan(0);
  });

  it.each([
    '{"content":"a"},{"data":"QQ=="},',
    '{"content":"a"},{"text":"a"},',
    '{"content":"a","found":[{"text":"}"}]},',
    '{"content":"a","found":[',
  ])('reads a line with many strings in linear time: %s', (piece) => {
    const cpuMs = (strings: number): number => {
      const data = piece.repeat(strings / 2);
      const readCpuMs = startCpuTimer();
      expect(scan(`{"choices":[${data}{}]}`).scanner.characters).toBeGreaterThanOrEqual(
        piece.endsWith('[') ? 1 : strings / 2,
      );
      return readCpuMs();
    };
    cpuMs(1_000);
    // Where each string looked for the end of the line, it was ten seconds.
    expect(cpuMs(100_000)).toBeLessThan(1_000);
  });
});
