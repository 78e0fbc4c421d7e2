import { describe, expect, it } from 'vitest';
import { logSearch, questionOf, stepsFor, textOf, valuesOf } from './analysis-search-params.ts';

const now = new Date('2026-03-04T12:00:00Z');
const seconds = now.getTime() / 1000;

describe('questionOf', () => {
  it('asks for the charges of thirty days by model without URL parameters', () => {
    expect(questionOf({}, now)).toMatchObject({
      start_timestamp: seconds - 30 * 86_400,
      end_timestamp: seconds,
      step: 'day',
      split: 'model',
      measure: 'charged',
      top: 10,
    });
  });

  it('reads every URL parameter', () => {
    const texts = {
      start_timestamp: '100',
      end_timestamp: '900',
      measure: 'request_time_p95',
      split: 'user',
      step: 'hour',
      top: '50',
      model: textOf(['own,model', '100%']),
      user: '7,8',
      status: 'error',
    };
    expect(questionOf(texts, now)).toMatchObject({
      start_timestamp: 100,
      end_timestamp: 900,
      measure: 'request_time_p95',
      split: 'user',
      step: 'hour',
      top: 50,
      model: ['own,model', '100%'],
      user: ['7', '8'],
      status: ['error'],
    });
  });

  it('ignores invalid parameters of a mistyped link', () => {
    const texts = { measure: 'luck', split: 'planet', step: 'eon', top: '7', model: '%E0%A4%A', time: 'x' };
    expect(questionOf(texts, now)).toEqual({ ...questionOf({ time: 'x' }, now) });
    expect(questionOf({ split: 'none' }, now).split).toBeUndefined();
  });

  it('limits the number of steps', () => {
    const year = { start_timestamp: String(seconds - 400 * 86_400), end_timestamp: String(seconds), step: 'hour' };
    expect(questionOf(year, now).step).toBe('month');
    expect(stepsFor(questionOf({ time: '7d' }, now))).toContain('hour');
    expect(questionOf({ time: 'today' }, now).step).toBe('hour');
  });
});

it('preserves a list of values in the URL', () => {
  const values = ['a,b', 'c d', '100%', '模型', '=cmd()', '"'];
  expect(valuesOf(textOf(values))).toEqual(values);
  expect(textOf([])).toBeUndefined();
});

describe('logSearch', () => {
  const question = { start_timestamp: 1, end_timestamp: 2 };

  it('contains the filters and the value of the row', () => {
    expect(logSearch({ ...question, model: ['m'], status: ['error'] }, { dimension: 'user', key: '7' })).toEqual({
      start_timestamp: '1',
      end_timestamp: '2',
      model_name: 'm',
      log_type: 'error',
      user_id: '7',
    });
  });

  it('contains only the row’s value of several filtered ones', () => {
    const row = { dimension: 'user', key: '8' } as const;
    expect(logSearch({ ...question, user: ['7', '8'] }, row)).toMatchObject({ user_id: '8' });
  });

  it('returns undefined when the usage records have no such filter', () => {
    expect(logSearch({ ...question, model: ['a', 'b'] })).toBeUndefined();
    expect(logSearch({ ...question, owner: ['OpenAI'] })).toBeUndefined();
    expect(logSearch(question, { dimension: 'channel', key: '0' })).toBeUndefined();
  });
});
