// The server renders the study's Markdown to escaped HTML. This is a second defence: tags that are not
// on the list are left out, their text is kept.

const allowed = new Set([
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'ul',
  'ol',
  'li',
  'strong',
  'em',
  'b',
  'i',
  'code',
  'pre',
  'blockquote',
  'br',
  'hr',
  'a',
  'img',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
]);
const dropped = new Set([
  'script',
  'style',
  'template',
  'iframe',
  'object',
  'embed',
  'noscript',
  'svg',
  'math',
  'title',
  'head',
]);
// The page has its own h1.
const renamed = { h1: 'h2' };

function copyLink(from, to) {
  const href = from.getAttribute('href') || '';
  if (!/^(https?:|mailto:)/i.test(href)) return;
  to.setAttribute('href', href);
  to.setAttribute('rel', 'noopener noreferrer');
  to.setAttribute('target', '_blank');
}

// Only pictures from the study's own folder.
const isOwn = (picture) => /^media\/[\w-][\w.-]*$/.test(picture.getAttribute('src') || '');

function copyPicture(from, to) {
  to.setAttribute('src', from.getAttribute('src'));
  to.setAttribute('alt', from.getAttribute('alt') || '');
}

function copyChildren(from, to) {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) to.append(node.data);
    if (node.nodeType !== Node.ELEMENT_NODE) continue;
    const name = node.localName;
    if (dropped.has(name) || (name === 'img' && !isOwn(node))) continue;
    if (!allowed.has(name)) {
      copyChildren(node, to);
      continue;
    }
    const copy = document.createElement(renamed[name] || name);
    if (name === 'a') copyLink(node, copy);
    if (name === 'img') copyPicture(node, copy);
    copyChildren(node, copy);
    to.append(copy);
  }
}

// A <div class="prose"> with the safe part of `html`.
export function prose(html) {
  const element = document.createElement('div');
  element.className = 'prose';
  copyChildren(new DOMParser().parseFromString(html || '', 'text/html').body, element);
  return element;
}
