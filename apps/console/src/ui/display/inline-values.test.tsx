import { render } from '@testing-library/react';
import { useTranslation } from 'react-i18next';
import { expect, it } from 'vitest';
import { Mono, Name } from './inline-values.tsx';

it('sets a name apart and takes away what would turn the words after it', () => {
  const { container } = render(<Name id={7}>{'\u202Enahc\u2069'}</Name>);
  expect(container.innerHTML).toBe('<bdi>nahc</bdi>');
});

it('shows the id of a thing whose name nobody could see', () => {
  const { container } = render(<Name id={7}>{'\u200b\u202E '}</Name>);
  expect(container.textContent).toBe('#7');
});

it('sets models apart as well', () => {
  const { container } = render(<Mono>{'m\u202Egnp'}</Mono>);
  expect(container.querySelector('bdi')?.textContent).toBe('mgnp');
});

it('keeps the order of a sentence that a name stands in', () => {
  render(<Sentence name={'\u202Enahc'} />);
  expect(document.body.textContent).toBe('Remove nahc');
});

function Sentence({ name }: { name: string }) {
  const { t } = useTranslation();
  return t('form.pairs.remove', { name });
}
