/** Milliseconds between two lines where they are kept, and between two states of the one that is not. */
const PAUSE = { terminal: 200, log: 10_000 }

/** Tells how far a download is, now and then. @param name of the file, for people */
export function downloadProgress(name: string): (received: number, total: number | null) => void {
  const isTerminal = process.stderr.isTTY === true
  let last = performance.now()
  return (received, total) => {
    const isEnd = received === total
    if (performance.now() - last < (isTerminal ? PAUSE.terminal : PAUSE.log) && !(isEnd && isTerminal)) return
    last = performance.now()
    const text = `${name}: ${inMegabytes(received)}${total === null ? '' : ` of ${inMegabytes(total)}`} MB downloaded`
    process.stderr.write(isTerminal ? `\r\u001b[K${text}${isEnd ? '\n' : ''}` : `homeport: ${text}\n`)
  }
}

function inMegabytes(bytes: number): string {
  return (bytes / 1024 ** 2).toFixed(1)
}
