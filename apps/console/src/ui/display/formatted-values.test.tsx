import { render } from '@testing-library/react';
import { useTranslation } from 'react-i18next';
import { expect, it } from 'vitest';
import { Name } from './formatted-values.tsx';
import { Mono } from './monospace-text.tsx';

it('isolates a name and removes control characters that would affect the following text', () => {
  const { container } = render(<Name id={7}>{'\u202Enahc\u2069'}</Name>);
  expect(container.innerHTML).toBe('<bdi>nahc</bdi>');
});

it('shows the id instead of an invisible name', () => {
  const { container } = render(<Name id={7}>{'\u200b\u202E '}</Name>);
  expect(container.textContent).toBe('#7');
});

it('isolates model names too', () => {
  const { container } = render(<Mono>{'m\u202Egnp'}</Mono>);
  expect(container.querySelector('bdi')?.textContent).toBe('mgnp');
});

it('keeps the order of a sentence that contains a name', () => {
  render(<Sentence name={'\u202Enahc'} />);
  expect(document.body.textContent).toBe('Remove nahc');
});

function Sentence({ name }: { name: string }) {
  const { t } = useTranslation();
  return t('form.pairs.remove', { name });
}
