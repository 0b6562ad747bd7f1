import { Flex, Typography, theme } from 'antd'
import { type MouseEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { NumberInput } from '../../../parts/entry/number-input.tsx'
import { Unparsed } from '../../../parts/entry/parse-entry.ts'
import type { GeoPointValue } from '../values/typed-value.ts'

interface GeoPointEditorProps {
  readonly label: string
  readonly value: GeoPointValue | null
  /** @param value `Unparsed`: a coordinate is missing, invalid or out of range */
  onChange(value: GeoPointValue | undefined | Unparsed): void
}

const MERIDIANS = Array.from({ length: 11 }, (_, n) => -150 + n * 30)
const MAX_DEGREES = { latitude: 90, longitude: 180 } as const
const PARALLELS = Array.from({ length: 5 }, (_, n) => -60 + n * 30)

type Degree = number | undefined | Unparsed
type Degrees = { readonly latitude: Degree; readonly longitude: Degree }

/** Returns the point of two coordinates; undefined when both are missing, `Unparsed` when one is missing or invalid. */
export function geoPointOf({ latitude, longitude }: Degrees): GeoPointValue | undefined | Unparsed {
  if (latitude === undefined && longitude === undefined) return undefined
  const wrong = [latitude, longitude].find((degree) => degree instanceof Unparsed)
  if (wrong instanceof Unparsed) return wrong
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return new Unparsed('place')
  return { __type: 'GeoPoint', latitude, longitude }
}

/** Edits a geo point by its coordinates, or by a click on a grid of latitude and longitude. */
export function GeoPointEditor({ label, value, onChange }: GeoPointEditorProps) {
  const { t } = useTranslation('data')
  const { token } = theme.useToken()
  const [entered, setEntered] = useState<Degrees>({ latitude: value?.latitude, longitude: value?.longitude })
  const { latitude, longitude } = entered
  const choose = (next: Degrees) => {
    setEntered(next)
    onChange(geoPointOf(next))
  }
  const click = (event: MouseEvent<SVGSVGElement>) => {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect()
    const degrees = (share: number, span: number) => Math.round((share - 0.5) * span * 100) / 100
    choose({
      latitude: -degrees((event.clientY - top) / height, 180),
      longitude: degrees((event.clientX - left) / width, 360),
    })
  }
  return (
    <Flex vertical gap={12}>
      <Flex wrap gap={12}>
        {(['latitude', 'longitude'] as const).map((name) => (
          <Flex key={name} vertical gap={4} flex={1}>
            <Typography.Text type="secondary">{t(`geo.${name}`)}</Typography.Text>
            <NumberInput
              aria-label={t(`geo.${name}`)}
              min={-MAX_DEGREES[name]}
              max={MAX_DEGREES[name]}
              style={{ width: '100%' }}
              value={entered[name]}
              onChange={(degrees) => choose({ ...entered, [name]: degrees })}
            />
          </Flex>
        ))}
      </Flex>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the two numbers above say the same by the keyboard */}
      <svg
        viewBox="-180 -90 360 180"
        role="img"
        aria-label={t('geo.grid', { name: label })}
        onClick={click}
        style={{ width: '100%', background: token.colorFillQuaternary, borderRadius: 8, cursor: 'crosshair' }}
      >
        <g stroke={token.colorBorder} strokeWidth={0.5}>
          {MERIDIANS.map((x) => (
            <line key={x} x1={x} x2={x} y1={-90} y2={90} strokeWidth={x === 0 ? 1 : 0.5} />
          ))}
          {PARALLELS.map((y) => (
            <line key={y} x1={-180} x2={180} y1={y} y2={y} strokeWidth={y === 0 ? 1 : 0.5} />
          ))}
        </g>
        <g fill={token.colorTextTertiary} fontSize={7}>
          {MERIDIANS.filter((x) => x % 60 === 0).map((x) => (
            <text key={x} x={x + 2} y={87}>
              {`${x}°`}
            </text>
          ))}
          {PARALLELS.map((y) => (
            <text key={y} x={-178} y={-y - 2}>
              {`${y}°`}
            </text>
          ))}
        </g>
        {typeof latitude === 'number' && typeof longitude === 'number' && (
          <circle
            cx={longitude}
            cy={-latitude}
            r={4}
            fill={token.colorPrimary}
            stroke={token.colorBgContainer}
            strokeWidth={1.5}
          />
        )}
      </svg>
    </Flex>
  )
}
