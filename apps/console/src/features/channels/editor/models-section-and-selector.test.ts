import { describe, expect, it } from 'vitest';
import { pickInSight, selectedModels } from './models-section-and-selector.tsx';

const offered = ['gpt-5', 'gpt-5-mini', 'o4'];

describe('selectedModels', () => {
  it('keeps names that the provider does not offer', () => {
    expect(selectedModels(offered, ['my-alias', 'gpt-4*', 'o4'], new Set(['gpt-5']))).toEqual([
      'my-alias',
      'gpt-4*',
      'gpt-5',
    ]);
  });
});

describe('pickInSight', () => {
  it('does not change models outside of the search', () => {
    const picked = new Set(['o4', 'gpt-5']);
    const inSight = ['gpt-5', 'gpt-5-mini'];
    expect([...pickInSight(picked, inSight, 'all')].toSorted()).toEqual(['gpt-5', 'gpt-5-mini', 'o4']);
    expect([...pickInSight(picked, inSight, 'none')]).toEqual(['o4']);
    expect([...pickInSight(picked, inSight, 'invert')].toSorted()).toEqual(['gpt-5-mini', 'o4']);
  });
});
