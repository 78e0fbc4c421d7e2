import Box from '@mui/material/Box';
import { type CustomPageName, customPagePaths, isFullDocument } from '@switchyard/contract/operations/custom-page';
import { lazy, Suspense } from 'react';

const Markdown = lazy(() => import('../markdown/markdown.tsx').then(({ Markdown }) => ({ default: Markdown })));

/** Shows the operator's page: Markdown, HTML, a whole document, or the URL of a page for a frame. */
export function CustomPage({ page, content, title }: { page: CustomPageName; content: string; title: string }) {
  const text = content.trim();
  if (/^https:\/\/\S+$/.test(text)) return <Frame src={text} title={title} />;
  if (isFullDocument(text)) return <Frame src={customPagePaths[page]} title={title} />;
  return (
    <Box sx={{ width: '100%', maxWidth: 860, mx: 'auto', px: { xs: 2, md: 3 }, py: 3 }}>
      <Suspense fallback={null}>
        <Markdown text={text} pictures />
      </Suspense>
    </Box>
  );
}

/** Frames a page without same-origin rights, so that it cannot access this one. */
function Frame({ src, title }: { src: string; title: string }) {
  return (
    <Box
      component="iframe"
      src={src}
      title={title}
      sandbox="allow-scripts allow-popups allow-forms"
      referrerPolicy="no-referrer"
      sx={{ flexGrow: 1, width: '100%', minHeight: '70vh', border: 0 }}
    />
  );
}
