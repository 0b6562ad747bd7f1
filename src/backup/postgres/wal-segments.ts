import pg from 'pg'

/** Ends the current segment of a server. Without writes since the last end, PostgreSQL does nothing. */
export async function endSegment(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('SELECT pg_switch_wal()')
  } finally {
    await client.end().catch(() => {})
  }
}

/** Returns the names of all WAL segments from `first` to `last`, both included, on one timeline. */
export function* segmentsBetween(
  first: string,
  last: string,
  segmentBytes: number,
): Generator<string, void, undefined> {
  if (timelineOf(first) !== timelineOf(last))
    throw new Error(`The WAL segments ${first} and ${last} have different timelines.`)
  const [start, end] = [numberOf(first, segmentBytes), numberOf(last, segmentBytes)]
  for (let number = start; number <= end; number++) yield segmentName(timelineOf(first), number, segmentBytes)
}

/** Returns whether a file name is that of a WAL segment. */
export function isSegment(name: string): boolean {
  return /^[0-9A-F]{24}$/.test(name)
}

export function timelineOf(name: string): string {
  return name.slice(0, 8)
}

export function numberOf(name: string, segmentBytes: number): number {
  return Number.parseInt(name.slice(8, 16), 16) * perFile(segmentBytes) + Number.parseInt(name.slice(16), 16)
}

function segmentName(timeline: string, number: number, segmentBytes: number): string {
  const hex = (value: number) => value.toString(16).toUpperCase().padStart(8, '0')
  return timeline + hex(Math.floor(number / perFile(segmentBytes))) + hex(number % perFile(segmentBytes))
}

/** Segments in a log file of 4 GB, which the second part of a name counts. */
function perFile(segmentBytes: number): number {
  return 2 ** 32 / segmentBytes
}
