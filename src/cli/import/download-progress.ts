/** Milliseconds between two progress updates, on a terminal and in a log. */
const PAUSE = { terminal: 200, log: 10_000 }

/** Reports the progress of a download from time to time. @param name the name of the file, for people */
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
