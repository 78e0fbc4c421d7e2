import { expect, it } from 'vitest';
import { centerSquare } from './avatar-picker.tsx';

it.each([
  [
    { width: 400, height: 300 },
    { x: 50, y: 0, side: 300 },
  ],
  [
    { width: 90, height: 200 },
    { x: 0, y: 55, side: 90 },
  ],
  [
    { width: 64, height: 64 },
    { x: 0, y: 0, side: 64 },
  ],
])('crops %j to the center', (size, square) => {
  expect(centerSquare(size)).toEqual(square);
});
