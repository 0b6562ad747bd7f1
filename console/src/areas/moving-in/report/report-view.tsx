import type { MoveReport } from '../../../../../src/moves/move-report.ts'
import { BroughtView } from './brought-view.tsx'
import { ComparedView } from './compared-view.tsx'
import { ForetoldView } from './foretold-view.tsx'

/** The report of an action, in tables and lists. */
export function ReportView({ report }: { readonly report: MoveReport }) {
  switch (report.kind) {
    case 'brought':
      return <BroughtView report={report} />
    case 'foretold':
      return <ForetoldView report={report} />
    case 'compared':
      return <ComparedView report={report} />
  }
}
