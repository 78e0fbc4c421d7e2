import Box from '@mui/material/Box';
import Button, { type ButtonProps } from '@mui/material/Button';
import MuiLink, { type LinkProps as MuiLinkProps } from '@mui/material/Link';
import { createLink } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CopyButton } from '../actions/copy-button.tsx';
import { Mono } from './inline-values.tsx';

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

/** Shows a whole URL with a copy button. */
export function LinkToCopy({ link, what }: { link: string; what: string }) {
  return (
    <Box
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: 1,
        pl: 1.5,
        pr: 0.5,
        py: 0.5,
        border: 1,
        borderColor: 'divider',
        borderRadius: 1,
        overflowWrap: 'anywhere',
      }}
    >
      <Box sx={{ flexGrow: 1, minWidth: 0, fontSize: '0.8125rem' }}>
        <Mono>{link}</Mono>
      </Box>
      <CopyButton text={link} what={what} />
    </Box>
  );
}
