import type { MoveReport } from '../../../../../src/moves/move-report.ts'
import { ComparedView } from './compared-view.tsx'
import { ForecastView } from './forecast-view.tsx'
import { ImportView } from './import-view.tsx'

/** The report of an action, in tables and lists. */
export function ReportView({ report }: { readonly report: MoveReport }) {
  switch (report.kind) {
    case 'brought':
      return <ImportView report={report} />
    case 'foretold':
      return <ForecastView report={report} />
    case 'compared':
      return <ComparedView report={report} />
  }
}
