Load "stdlib.ring"
// <- keyword
//    ^ string
oShop = new market.Shop("Corner") { add(:apple, 0x2) }
// <- variable
//    ^ operator
//      ^ keyword
//          ^ type
//                     ^ punctuation.bracket
//                                  ^ function
//                                      ^ string.special.symbol
//                                              ^ number
? oShop.total() + nl
// <- operator
//      ^ function.method
//                ^ constant.builtin
func greet(string cName) {
// <- keyword
//   ^ function
//         ^ type
//                ^ variable.parameter
	IF not len(cName) see this.cText OK
	// <- keyword.conditional
	//  ^ keyword.operator
	//                    ^ variable.builtin
	//                         ^ property
	//                               ^ keyword.conditional
	for i = 1 to 10 step 2 ? i next
	// <- keyword.repeat
	//        ^ keyword.repeat
	//              ^ keyword.repeat
	//                         ^ keyword.repeat
}
class Shop from Place
// <- keyword
//    ^ type
//         ^ keyword
//              ^ type
	cText nSize = 1
	// <- property
	//    ^ property
	func total return nSize
	//   ^ function.method
	private
	// <- keyword
	# nothing
	// <- comment
