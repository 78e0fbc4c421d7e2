import Box from '@mui/material/Box';
import { lazy, Suspense } from 'react';

const Markdown = lazy(() => import('./markdown.tsx').then(({ Markdown }) => ({ default: Markdown })));

/** A page the operator wrote: Markdown, HTML, or the address of a page that is shown in a frame. */
export function CustomPage({ content, title }: { content: string; title: string }) {
  const text = content.trim();
  if (/^https:\/\/\S+$/.test(text)) {
    // Without same-origin rights, so that the framed page cannot reach this one.
    return (
      <Box
        component="iframe"
        src={text}
        title={title}
        sandbox="allow-scripts allow-popups allow-forms"
        referrerPolicy="no-referrer"
        sx={{ flexGrow: 1, width: '100%', minHeight: '70vh', border: 0 }}
      />
    );
  }
  return (
    <Box sx={{ width: '100%', maxWidth: 860, mx: 'auto', px: { xs: 2, md: 3 }, py: 3 }}>
      <Suspense fallback={null}>
        <Markdown text={text} />
      </Suspense>
    </Box>
  );
}
