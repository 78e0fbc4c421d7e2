import { json } from '@codemirror/lang-json';
import Box from '@mui/material/Box';
import { useColorScheme } from '@mui/material/styles';
import CodeMirror, { EditorView } from '@uiw/react-codemirror';
import { useMemo } from 'react';

// The editor's own dark background gives its colours too little contrast.
const frame = {
  border: 1,
  borderColor: 'divider',
  borderRadius: 1,
  overflow: 'hidden',
  fontSize: '0.8125rem',
  '& .cm-editor, & .cm-editor .cm-gutters': { bgcolor: 'background.paper' },
} as const;

interface JsonEditorProps {
  label: string;
  /** Height in pixels. */
  height?: number | undefined;
  value: string;
  onChange: (value: string) => void;
  onBlur: () => void;
}

export function JsonEditor({ label, height = 180, value, onChange, onBlur }: JsonEditorProps) {
  const { colorScheme } = useColorScheme();
  const extensions = useMemo(
    () => [
      json(),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label }),
      EditorView.cspNonce.of(document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''),
    ],
    [label],
  );
  return (
    <Box sx={frame}>
      <CodeMirror
        value={value}
        onChange={onChange}
        onBlur={onBlur}
        height={`${height}px`}
        theme={colorScheme === 'dark' ? 'dark' : 'light'}
        extensions={extensions}
        basicSetup={{ foldGutter: false, autocompletion: false }}
      />
    </Box>
  );
}
