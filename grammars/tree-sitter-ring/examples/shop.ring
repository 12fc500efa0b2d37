/*
** A shop: packages, classes, access with braces, functions as values.
*/

import market

oShop = new Shop("Corner") {
	add(:apple, 0.25) add(:pear, 0.5)
	nDiscount = 10
}

? oShop.total()
oShop { sell("apple", 2) print() }

aReports = [
	:short = func oAny { return oAny.name() },
	:long  = func oAny {
		return oAny.name() +
			" (" + oAny.total() + ")"
	},
]

for aReport in aReports { fReport = aReport[2] ? call fReport(oShop) }

func main
	see "Never called, since the file begins with statements." + nl

func times nCount, fAction
	do
		call fAction(nCount)
		nCount--
	again nCount > 0

func parse(cText) {
	aFound = []
	for cLine in str2list(cText) {
		if trim(cLine) = "" or left(cLine, 1) = "#" { loop }
		nAt = substr(cLine, "=")
		if nAt = 0 {
			raise("No = in: " + cLine)
		elseif nAt = 1
			exit
		else
			aFound[trim(left(cLine, nAt - 1))] = trim(substr(cLine, nAt + 1))
		}
	}
	return aFound
}

package market

class Shop from Place
	aGoods = [] nDiscount = 0

	func init cTheName
		cName = cTheName
		return self

	func add(string cWhat, number nPrice)
		aGoods + [ :what = cWhat, :price = nPrice, :sold = 0 ]
		return this

	func sell cWhat, nCount
		nAt = find(aGoods, cWhat, 1)
		if nAt
			aGoods[nAt][:sold] += nCount
		but cWhat = `the "lot"`
			for i = len(aGoods) to 1 step -1
				del(aGoods, i)
			next
		else
			complain("We do not have " + cWhat)
		end

	func total
		nTotal = 0
		for aGood in aGoods
			nTotal += aGood[:price] * aGood[:sold]
		endfor
		return nTotal * (100 - nDiscount) / 100

	func operator cOperator, vOther
		if cOperator = "+" return total() + vOther.total() ok
		if cOperator = "[]" and
		   isNumber(vOther)
			return &aGoods[vOther]
		ok

	private

	nComplaints = 0

	func complain(cWhy) nComplaints++ see cWhy + nl

class Place {
	cName = "" nMask = 0xff & ~ 3 << 2
	func name { return cName }
	func print
	{
		try { ? describe(this) catch ? cCatchError }
	}
}

Class Cellar : Place
	def name()
		Return "below " + super.name()
	EndFunc
EndClass
EndPackage
