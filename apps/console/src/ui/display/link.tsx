import Button, { type ButtonProps } from '@mui/material/Button';
import MuiLink, { type LinkProps as MuiLinkProps } from '@mui/material/Link';
import { createLink } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface Target {
  to: string;
  search?: Record<string, string>;
  /** Id of a section of the screen. */
  hash?: string;
  children: ReactNode;
}

/** Optional props that cannot be passed as undefined. */
type Looks<Props, Names extends keyof Props> = { [Name in Names]?: Exclude<Props[Name], undefined> };

const RoutedLink = createLink(MuiLink);

const RoutedButton = createLink(Button);

/** Renders a link to another screen, which does not reload the page. */
export function Link({ to, search, ...rest }: Target & Looks<MuiLinkProps, 'sx' | 'color' | 'variant'>) {
  return <RoutedLink to={to} search={search ?? {}} {...rest} />;
}

/** Renders a link to another screen that looks like a button. */
export function LinkButton({
  to,
  search,
  ...rest
}: Target & Looks<ButtonProps, 'variant' | 'color' | 'size' | 'sx' | 'disabled' | 'title' | 'aria-label'>) {
  return <RoutedButton to={to} search={search ?? {}} {...rest} />;
}
