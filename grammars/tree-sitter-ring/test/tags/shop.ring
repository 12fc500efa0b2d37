package market
//      ^ definition.module
class Shop from Place
//    ^ definition.class
//              ^ reference.class
	nSize = 1
	// <- definition.field
	func total
	//   ^ definition.method
		return count(nSize)
		//     ^ reference.call
