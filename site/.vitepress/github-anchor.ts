/** Returns the anchor that GitHub gives a heading, so that links with anchors work in both places. */
export function githubAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-')
}
