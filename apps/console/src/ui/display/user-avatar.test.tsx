import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { UserAvatar } from './user-avatar.tsx';

const sourceOf = (url: string, isOwn: boolean) =>
  render(<UserAvatar name="ada" url={url} isOwn={isOwn} />)
    .container.querySelector('img')
    ?.getAttribute('src');

it('loads an image of another host only in the browser of the user who chose it', () => {
  const uploaded = '/api/user/avatar/7?v=1';
  const elsewhere = 'https://pictures.example/ada.png';
  expect([sourceOf(uploaded, false), sourceOf(uploaded, true)]).toEqual([uploaded, uploaded]);
  expect([sourceOf(elsewhere, false), sourceOf(elsewhere, true)]).toEqual([undefined, elsewhere]);
  for (const url of ['', 'http://pictures.example/a', '//pictures.example/a', 'javascript:a()', 'data:image/svg+xml,a'])
    expect(sourceOf(url, true)).toBeUndefined();
});
