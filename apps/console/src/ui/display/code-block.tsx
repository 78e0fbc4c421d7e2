import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../actions/copy-button.tsx';
import { monoFont } from '../theme/design-tokens.ts';

interface CodeBlockProps {
  code: string;
  label?: string;
  /** Highlighted form of the code. */
  children?: ReactNode;
}

/** Shows code with a copy button. */
export function CodeBlock({ code, label, children = code }: CodeBlockProps) {
  const { t } = useTranslation();
  return (
    <Box
      sx={{
        display: 'flex',
        alignItems: 'flex-start',
        borderRadius: 1,
        bgcolor: 'background.default',
        border: 1,
        borderColor: 'divider',
      }}
    >
      <Box
        component="pre"
        tabIndex={0}
        sx={{
          flexGrow: 1,
          minWidth: 0,
          m: 0,
          p: 1.5,
          pr: 0.5,
          overflowX: 'auto',
          fontFamily: monoFont,
          fontSize: '0.75rem',
          lineHeight: 1.6,
        }}
      >
        {children}
      </Box>
      <Box sx={{ flexShrink: 0, p: 0.5 }}>
        <CopyButton text={code} what={label ?? t('code')} />
      </Box>
    </Box>
  );
}
