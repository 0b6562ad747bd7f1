/** Returns the release notes of a version, or null when the changelog has no dated section with text for it. */
export function releaseNotes(changelog: string, version: string): string | null
