import type { ReactNode } from 'react';

export interface MenuAction {
  label: string;
  icon?: ReactNode;
  onSelect: () => void;
  /** The one that holds now. */
  selected?: boolean;
  /** Can be on or off; the menu stays open. */
  checked?: boolean;
  danger?: boolean;
  /** Begins another kind of actions: a line above. */
  apart?: boolean;
  /** The language the label is written in, when it is not the screen's. */
  lang?: string;
}

/** An action, or a heading above the next ones. */
export type MenuEntry = MenuAction | { heading: string };
